// How connections end when the server stops: each one with a response that announces it, so that no client loses a request.
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { StoreProbe } from './store-probe.ts'

const everyMs = 50
/** How long a client that has connected may take to send its first request, or to close its WebSocket. */
const silentMs = 2_000

export function closeConnections(app: FastifyInstance, probe: Pick<StoreProbe, 'isStopped'>): void {
  // When the response is sent, not when the request comes: a request may be in progress when the server is told to stop.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (probe.isStopped()) reply.header('connection', 'close')
    done(null, payload)
  })
  const { server } = app
  /** Connections without a request, and WebSockets. Node doesn't count them as idle, so `close` would wait for them. */
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
  })
  app.addHook('onRequest', (request, _reply, done) => {
    silent.delete(request.raw.socket)
    done()
  })
  app.addHook('preClose', (done) => {
    // Node closes idle connections once, when the server closes; those of later responses would stay open until they time out.
    const idle = setInterval(() => server.closeIdleConnections(), everyMs)
    const late = setTimeout(() => {
      for (const socket of silent) socket.destroy()
    }, silentMs)
    server.once('close', () => {
      clearInterval(idle)
      clearTimeout(late)
    })
    done()
  })
}
