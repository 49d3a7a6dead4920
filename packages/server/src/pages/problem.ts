// Whatever goes wrong on a page, as a page. Internal causes are logged and never leave.
import { ApiError } from '@vedette/contracts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../core/html.ts'
import { isStoreUnavailable } from '../storage/core/db.ts'
import { sendPage } from './page.ts'

export function answerProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = statusOf(error)
  // A visitor that hangs up in the middle of a form isn't a failure of the server.
  const isAborted = request.raw.destroyed && !request.raw.complete
  if (isAborted) request.log.debug('request.aborted')
  else if (status >= 500) request.log.error({ err: error }, 'request.failed')
  if (error instanceof ApiError) reply.headers(error.headers)
  const [title, words] = wordsOf(status, error)
  return sendPage(reply, { status, title, body: html`<p>${words}</p>` })
}

function statusOf(error: unknown): number {
  if (error instanceof ApiError) return error.status
  if (isStoreUnavailable(error)) return 503
  const { statusCode } = error as FastifyError
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? statusCode : 500
}

function wordsOf(status: number, error: unknown): [title: string, words: string] {
  if (status === 429) return ['Too many requests', (error as ApiError).message]
  if (status >= 500) return ['This did not work', 'The fault is ours. Please try again in a moment.']
  return ['This request can’t be read', 'Please go back and try again.']
}
