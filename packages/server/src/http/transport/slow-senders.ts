import { minuteMs } from '@vedette/contracts'
import type { FastifyInstance } from 'fastify'

/** Time limit of file uploads. */
export const longestUploadMs = 30 * minuteMs

/** Closes the connection if a body other than a file takes longer. */
export function limitBodyTime(app: FastifyInstance, limitMs = minuteMs): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done()
    const { headers, raw } = request
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (!hasBody || request.routeOptions.config.contract?.streamsBody) return
    const timer = setTimeout(() => raw.destroy(), limitMs)
    raw.once('close', () => clearTimeout(timer))
  })
}
