// The page at the root path, and the page for unknown paths.
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { html } from '../core/html.ts'
import { basePath, type PagesDeps } from './deps.ts'
import { sendPage } from './page.ts'
import { facts, stateLine } from './words.ts'

const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
const { version } = z.object({ version: z.string() }).parse(JSON.parse(manifest))

export function serveLanding(app: FastifyInstance, deps: PagesDeps): void {
  const base = basePath(deps)
  app.get('/', async (_request, reply) => {
    const state = deps.isReady()
      ? stateLine({ tone: 'passing', label: 'Ready' })
      : stateLine({ tone: 'failing', label: 'The database can’t be reached' })
    const linkTo = (path: string) => html`<a href="${base}${path}">${base}${path}</a>`
    return sendPage(reply, {
      status: 200,
      title: 'This is a Vedette server',
      tabTitle: 'Vedette',
      body: html`${state}
<p>Vedette runs checks against your sites and APIs, keeps the evidence of every run, and alerts you when one fails.</p>
${facts([
  ['Version', version],
  ['API reference', linkTo('/docs')],
  ['OpenAPI document', linkTo('/openapi.json')],
  ['Health', html`${linkTo('/healthz')}, ${linkTo('/readyz')}`],
])}
<p class="muted">The API key was printed when the server first started. On the server’s machine,
<code>npx vedette keys create</code> creates another one.</p>`,
      footer: html`Self-hosted synthetic monitoring.`,
    })
  })
}

/** For browsers; API clients get the same status as JSON. */
export function sendUnknownPath(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    status: 404,
    title: 'This page doesn’t exist',
    body: html`<p>The address may be incomplete, or the page may have been removed.</p>`,
  })
}
