import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { streamedBody } from './streamed-body.ts'

it('cuts off a sender below the minimum rate, but none that keeps it', async () => {
  const outcomes: string[] = []
  const server = createServer(async (raw, response) => {
    let size = 0
    try {
      for await (const chunk of streamedBody({ raw, headers: raw.headers } as never, {
        windowMs: 100,
        minBytesPerMs: 10,
      }))
        size += chunk.length
      outcomes.push(`received ${size}`)
      response.end('done')
    } catch (error) {
      outcomes.push((error as Error).message)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const send = (chunk: Buffer, everyMs: number, length: number) =>
    new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`)
      let left = length
      const timer = setInterval(() => {
        if (left > 0) socket.write(chunk)
        left -= chunk.length
      }, everyMs)
      socket.resume()
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearInterval(timer)
        resolve()
      })
    })
  await send(Buffer.alloc(10), 5, 1_000_000)
  expect(outcomes).toEqual(['The connection closed before the end of the body.'])
  await send(Buffer.alloc(100_000), 5, 1_000_000)
  expect(outcomes[1]).toBe('received 1000000')
  server.close()
})
