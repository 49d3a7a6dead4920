// Used in tests: fails a response whose status isn't documented.
import { type AnyRoute, errorStatuses } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'

export function checkStatus(route: AnyRoute) {
  // 304 revalidates an earlier response; 417 refuses a header that doesn't depend on the route.
  const documented = new Set([route.status, 304, 417, ...errorStatuses(route)])
  return async (_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const { statusCode } = reply
    if (statusCode >= 500 || documented.has(statusCode)) return payload
    // Throwing here would keep the status of an error response.
    reply.code(500).type('text/plain')
    return `${route.method} ${route.path} responds with ${statusCode}, which is not documented`
  }
}
