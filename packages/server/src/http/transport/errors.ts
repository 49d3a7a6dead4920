// The only module that turns exceptions into responses. Internal causes are logged, never sent.
import type { Socket } from 'node:net'
import { type AnyRoute, ApiError } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isStoreUnavailable } from '../../storage/core/db.ts'
import { routerPath } from './mount.ts'
import { redactPath } from './request-log.ts'

export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler(sendError)
}

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toApiError(error)
  if (known.status >= 500) request.log.error({ err: error }, 'request.failed')
  if (known.code === 'body_broken_off')
    request.log.debug({ path: redactPath(request.url, request.is404) }, 'request.aborted')
  reply.code(known.status).headers(known.headers).type('application/json; charset=utf-8')
  return reply.send(JSON.stringify(known.body()))
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isStoreUnavailable(error)) return new ApiError('unavailable', { headers: { 'retry-after': '2' } })
  const code = errorCode(error)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('body_too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError('unsupported_media_type')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new ApiError('malformed_request')
  return new ApiError(isClientError(error) ? 'malformed_request' : 'internal')
}

/** Fastify puts the status into its errors. */
function isClientError(error: unknown): boolean {
  if (!(error instanceof Error) || !('statusCode' in error)) return false
  return typeof error.statusCode === 'number' && error.statusCode >= 400 && error.statusCode < 500
}

/** Responds in the same form to what Node refuses before there is a request. */
export function sendClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const known = new ApiError(error.code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_request')
  const body = JSON.stringify(known.body())
  socket.end(
    `HTTP/1.1 ${known.status} ${known.body().error}\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

/**
 * Unknown paths, and known paths with a method that they don't have. The latter are routes of their own: otherwise
 * PUT /v1/checks/api would be an update of the check "api".
 */
export function handleUnknown(
  app: FastifyInstance,
  routes: AnyRoute[],
  sendPage?: (reply: FastifyReply) => FastifyReply,
): void {
  // In onRequest: a handler would run after the body was read.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return
    reply.header('vary', 'accept')
    if (sendPage !== undefined && isFromBrowser(request)) return sendPage(reply)
    throw new ApiError('route_not_found')
  })
  app.setNotFoundHandler(() => undefined)
  const paths = new Map<string, string[]>()
  for (const { path, method } of routes) paths.set(path, [...(paths.get(path) ?? []), method])
  const open = new Set(routes.filter(isForBrowsers).map(({ path }) => path))
  for (const [path, methods] of paths) {
    const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods
    app.route({
      method: app.supportedMethods.filter((method) => !allowed.includes(method)),
      url: routerPath(path),
      config: { isRefusal: true },
      // Before the body is read: it doesn't matter here.
      onRequest: async (request, reply) => {
        if (request.method === 'OPTIONS' && open.has(path)) return sendPreflight(reply, allowed)
        throw new ApiError('method_not_allowed', { headers: { allow: allowed.join(', ') } })
      },
      handler: () => undefined,
    })
  }
}

/** Browsers accept text/html when they open a page; API clients and scripts of pages don't ask for it. */
function isFromBrowser({ method, headers }: FastifyRequest): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    /\btext\/html\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(headers.accept ?? '')
  )
}

function isForBrowsers({ headers }: AnyRoute): boolean {
  return headers?.['access-control-allow-origin'] === '*'
}

/** CORS: browsers send OPTIONS before a request that a plain form couldn't make. */
function sendPreflight(reply: FastifyReply, methods: string[]): FastifyReply {
  return reply
    .code(204)
    .headers({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': '*',
      'access-control-max-age': '86400',
    })
    .send()
}
