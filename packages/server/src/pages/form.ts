import type { FastifyInstance } from 'fastify'

const largestForm = 16 * 1024

export function readForms(app: FastifyInstance): void {
  // Not those of the API: visitors send forms, and nothing else of theirs is read.
  app.removeAllContentTypeParsers()
  const form = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(form, { parseAs: 'string', bodyLimit: largestForm }, (_request, text, done) => {
    done(null, Object.fromEntries(new URLSearchParams(text as string)))
  })
  // RFC 8058 lets mail programs send multipart forms as well: the link says all, so what is in them does not matter.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: largestForm }, (_request, _bytes, done) => {
    done(null, {})
  })
}

/** A field of a form; null when it is not there, or is no text. */
export function fieldOf(body: unknown, name: string): string | null {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return null
  const value = (body as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : null
}
