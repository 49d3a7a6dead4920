import type { FastifyInstance } from 'fastify'

/** A file may take as long as this to arrive. */
export const longestUploadMs = 30 * 60_000

/** A slow sender holds a connection, not the server: other bodies than files have a minute. */
export function hurrySenders(app: FastifyInstance, limitMs = 60_000): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done()
    const { headers, raw } = request
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (!hasBody || request.routeOptions.config.contract?.streamsBody) return
    const timer = setTimeout(() => raw.destroy(), limitMs)
    raw.once('close', () => clearTimeout(timer))
  })
}
