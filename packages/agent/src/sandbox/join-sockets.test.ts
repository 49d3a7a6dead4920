// A paused reader, and a sender that sends more than all buffers on the way can hold.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import { joinSockets } from './cell-programs/join-sockets.ts'

const sentBytes = 20_000_000

let folder: string
const servers: Server[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'join-'))
})
afterEach(async () => {
  await closeListeners()
  for (const server of servers.splice(0)) server.close()
  rmSync(folder, { recursive: true })
})

/** Both ends of a real connection: as to a target, or as into a cell. */
async function connection(kind: 'tcp' | 'file'): Promise<[near: Socket, far: Socket]> {
  const server = createServer()
  const accepted = once(server, 'connection')
  const path = join(folder, 'socket')
  const near =
    kind === 'tcp'
      ? connect({ port: await listen(server), host: '127.0.0.1' })
      : connect(await listenAt(server, path))
  return [near, (await accepted)[0] as Socket]
}

async function listenAt(server: Server, path: string): Promise<string> {
  server.listen(path)
  await once(server, 'listening')
  servers.push(server)
  return path
}

async function stalled() {
  const [source, sender] = await connection('tcp')
  const [sink, reader] = await connection('file')
  const seen = { taken: 0, received: 0, endings: 0, isBroken: false }
  source.on('data', ({ length }) => {
    seen.taken += length
  })
  source.on('error', () => {
    seen.isBroken = true
  })
  joinSockets(source, sink, () => {
    seen.endings += 1
  })
  sender.on('error', () => {})
  sender.write(Buffer.alloc(sentBytes))
  await expect.poll(() => sink.writableNeedDrain).toBe(true)
  const readAll = () =>
    new Promise((settle) => {
      reader.on('error', () => {}).on('close', settle)
      reader.on('data', ({ length }) => {
        seen.received += length
      })
    })
  return { sender, seen, readAll }
}

it('passes on everything before an end', async () => {
  const { sender, seen, readAll } = await stalled()
  sender.resume().end()
  await readAll()
  expect(seen.received).toBe(sentBytes)
  await expect
    .poll(() => seen)
    .toEqual({ taken: sentBytes, received: sentBytes, endings: 1, isBroken: false })
})

it('passes on everything before a reset', async () => {
  const { sender, seen, readAll } = await stalled()
  expect(seen.taken).toBeGreaterThan(0)
  sender.resetAndDestroy()
  await readAll()
  expect(seen.received).toBe(seen.taken)
  expect(seen.received).toBeLessThan(sentBytes)
  await expect.poll(() => seen).toMatchObject({ endings: 1, isBroken: true })
})
