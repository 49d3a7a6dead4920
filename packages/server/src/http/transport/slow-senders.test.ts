import { connect } from 'node:net'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { hurrySenders } from './slow-senders.ts'

it('cuts off who sends a body too slowly, and nobody who sends a file', async () => {
  const app = fastify()
  hurrySenders(app, 50)
  app.post('/body', async () => 'read')
  const contract = { streamsBody: true } as never
  app.post(
    '/file',
    { config: { contract }, onRequest: async (_request, reply) => reply.send('at once') },
    () => '',
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.addresses()[0] as { port: number }
  const answerTo = (path: string) =>
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
  expect(await answerTo('/body')).not.toContain('200 OK')
  expect(await answerTo('/file')).toContain('at once')
  await app.close()
})
