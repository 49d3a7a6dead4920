import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { limitBodyTime } from './slow-senders.ts'

it('cuts off clients that send a body too slowly, unless it is a file', async () => {
  const app = fastify()
  limitBodyTime(app, 50)
  app.post('/body', async () => 'read')
  const contract = { streamsBody: true } as never
  app.post(
    '/file',
    { config: { contract }, onRequest: async (_request, reply) => reply.send('at once') },
    () => '',
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.addresses()[0] as { port: number }
  const responseTo = (path: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
        if (text.includes('at once')) socket.destroy()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve(text))
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 10\r\n\r\nabc`,
      )
    })
  expect(await responseTo('/body')).not.toContain('200 OK')
  expect(await responseTo('/file')).toContain('at once')
  await app.close()
})
