import type { FastifyInstance } from 'fastify'

const maxFormBytes = 16 * 1024

export function readForms(app: FastifyInstance): void {
  // Replaces the parsers of the API: only forms are read.
  app.removeAllContentTypeParsers()
  const form = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(form, { parseAs: 'string', bodyLimit: maxFormBytes }, (_request, text, done) => {
    done(null, new URLSearchParams(String(text)))
  })
  // RFC 8058 allows mail clients to send multipart forms. Their content doesn't matter: the link identifies the subscription.
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxFormBytes }, (_request, _bytes, done) => {
    done(null, new URLSearchParams())
  })
}

/** A text field of a form. */
export function fieldOf(body: unknown, name: string): string | null {
  return body instanceof URLSearchParams ? body.get(name) : null
}

/** The values of fields with the same name, such as checkboxes. */
export function fieldsOf(body: unknown, name: string): string[] {
  return body instanceof URLSearchParams ? body.getAll(name) : []
}
