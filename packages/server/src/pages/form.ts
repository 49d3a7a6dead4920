import type { FastifyInstance } from 'fastify'
import { isRecord } from '../core/is-record.ts'

const maxFormBytes = 16 * 1024

export function readForms(app: FastifyInstance): void {
  // Replaces the parsers of the API: only forms are read.
  app.removeAllContentTypeParsers()
  const form = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(form, { parseAs: 'string', bodyLimit: maxFormBytes }, (_request, text, done) => {
    done(null, Object.fromEntries(new URLSearchParams(String(text))))
  })
  // RFC 8058 allows mail clients to send multipart forms. Their content doesn't matter: the link identifies the subscription.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxFormBytes }, (_request, _bytes, done) => {
    done(null, {})
  })
}

/** A text field of a form. */
export function fieldOf(body: unknown, name: string): string | null {
  if (!isRecord(body) || !Object.hasOwn(body, name)) return null
  const value = body[name]
  return typeof value === 'string' ? value : null
}
