// The only place that turns an exception into an answer. Internal causes are logged and never leave.
import { ApiError } from '@vedette/contracts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isStoreAway } from '../storage/db.ts'

export function handleErrors(app: FastifyInstance): void {
  app.setErrorHandler(answerError)
}

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toApiError(error)
  if (known.status >= 500) request.log.error({ err: error }, 'request.failed')
  reply.code(known.status).headers(known.headers).type('application/json; charset=utf-8')
  return reply.send(JSON.stringify(known.body()))
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isStoreAway(error)) return new ApiError('unavailable', { headers: { 'retry-after': '2' } })
  const { code, statusCode } = error as FastifyError
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('body_too_large')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new ApiError('unsupported_media_type')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return new ApiError('malformed_request')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError('malformed_request')
  return new ApiError('internal')
}

/** Unknown paths, and known paths with a method they do not answer. */
export function handleUnknown(app: FastifyInstance, paths: () => Map<string, string[]>): void {
  let patterns: { pattern: RegExp; methods: string[] }[] | undefined
  app.setNotFoundHandler((request) => {
    patterns ??= [...paths()].map(([path, methods]) => ({
      pattern: new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}/?$`),
      methods,
    }))
    const path = request.url.split('?')[0] as string
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap((entry) => entry.methods)
    if (methods.length === 0) throw new ApiError('route_not_found')
    throw new ApiError('method_not_allowed', { headers: { allow: [...new Set(methods)].join(', ') } })
  })
}
