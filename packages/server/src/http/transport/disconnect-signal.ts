// Aborts waits whose response has no receiver: the client has disconnected, or the server closes.
import type { FastifyInstance, FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    closing: AbortSignal
  }
}

/** Without this, closing the server would wait for every long poll. */
export function abortOnClose(app: FastifyInstance): void {
  const closing = new AbortController()
  app.decorate('closing', closing.signal)
  app.addHook('preClose', async () => closing.abort())
}

export function disconnectSignal(app: FastifyInstance, reply: FastifyReply): AbortSignal {
  const disconnected = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) disconnected.abort()
  })
  return AbortSignal.any([app.closing, disconnected.signal])
}
