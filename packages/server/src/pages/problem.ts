// Turns exceptions into pages. Internal causes are logged, never shown.
import { ApiError } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../core/html.ts'
import { isStoreUnavailable } from '../storage/core/db.ts'
import { sendPage } from './page.ts'
import { chooseSpeech } from './texts/speech.ts'

const refreshSeconds = 10

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = statusOf(error)
  // A visitor that disconnects while sending a form isn't a failure of the server.
  const isAborted = request.raw.destroyed && !request.raw.complete
  if (isAborted) request.log.debug('request.aborted')
  else if (status >= 500) request.log.error({ err: error }, 'request.failed')
  if (error instanceof ApiError) reply.headers(error.headers)
  // Mostly the store is back in a moment.
  if (status === 503 && (request.method === 'GET' || request.method === 'HEAD')) {
    const { language, texts } = chooseSpeech(undefined, request.headers['accept-language'])
    const { unavailableTitle: title, unavailable } = texts
    reply.header('retry-after', refreshSeconds)
    return sendPage(reply, { status, title, body: html`<p>${unavailable}</p>`, language, refreshSeconds })
  }
  const [title, text] = describe(status, error)
  return sendPage(reply, { status, title, body: html`<p>${text}</p>` })
}

function statusOf(error: unknown): number {
  if (error instanceof ApiError) return error.status
  if (isStoreUnavailable(error)) return 503
  const statusCode = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500
  return statusCode >= 400 && statusCode < 500 ? statusCode : 500
}

function describe(status: number, error: unknown): [title: string, text: string] {
  if (status === 429) return ['Too many requests', errorMessage(error)]
  if (status >= 500) return ['This did not work', 'The server failed. Please try again in a moment.']
  return ['This request can’t be read', 'Please go back and try again.']
}
