// In tests: an answer whose status the document does not name is a bug, and fails as one.
import { type AnyRoute, errorStatuses } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'

export function documentedStatus(route: AnyRoute) {
  // 304 is between a cache and us: it stands for the answer that was given before.
  // 417 is about a header that no route has to do with.
  const documented = new Set([route.status, 304, 417, ...errorStatuses(route)])
  return async (_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const { statusCode } = reply
    if (statusCode >= 500 || documented.has(statusCode)) return payload
    // Thrown, it would leave the status of an error as it is.
    reply.code(500).type('text/plain')
    return `${route.method} ${route.path} answers with ${statusCode}, which is not documented`
  }
}
