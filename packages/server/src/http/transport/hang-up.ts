// When there is nobody to wait for any more: the caller has hung up, or the server closes.
import type { FastifyInstance, FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyInstance {
    closing: AbortSignal
  }
}

/** Without it a close would wait for every long poll. */
export function stopWaitsOnClose(app: FastifyInstance): void {
  const closing = new AbortController()
  app.decorate('closing', closing.signal)
  app.addHook('preClose', async () => closing.abort())
}

export function hangUpSignal(app: FastifyInstance, reply: FastifyReply): AbortSignal {
  const hungUp = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) hungUp.abort()
  })
  return AbortSignal.any([app.closing, hungUp.signal])
}
