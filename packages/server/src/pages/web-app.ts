// Serves the web app: its files under /app, and its page at every path that nothing else owns. Until it is built, that page says so.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { errorCode } from '@vedette/safeguards/errors'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { html } from '../core/html.ts'
import { chooseEncoding } from '../core/ready-bytes.ts'
import { sendPage } from './page.ts'

/** First parts of paths that belong to others as a whole (docs/architecture.md, "Addresses"). */
const otherPrefixes = new Set([
  ...['v1', 'v2', 'next', 'agent', 'assets', 'ping', 'docs', 'openapi.json', 'swagger.json', 'healthz'],
  ...['readyz', 'metrics', 'trace-viewer', 'r', 's', 'd', 'preview', 'tls', 'app'],
])

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * No inline script or style, and nothing from other hosts but pictures and videos of runs. Frames are for previews: other pages
 * refuse to be framed.
 */
function contentPolicy({
  publicUrl,
  assetsUrl = publicUrl,
}: {
  publicUrl: string
  assetsUrl?: string
}): string {
  const [own, files] = [publicUrl, assetsUrl].map((url) => new URL(url).origin)
  const media = own === files ? "'self'" : `'self' ${files}`
  return [
    ...["default-src 'none'", "frame-src 'self'"],
    ...[
      "script-src 'self'",
      "style-src 'self'",
      `img-src ${media}`,
      `media-src ${media}`,
      "connect-src 'self'",
    ],
    ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join('; ')
}

const securityHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}

/** How often the folder is checked for another build. */
const checkMs = 1_000

/** What scripts/build-web.mjs writes. */
const Current = z.object({ id: z.string().optional(), failure: z.string().optional() })

export interface WebApp {
  serve(app: FastifyInstance): void
  /** For browsers at a path without a route; API clients get JSON. */
  sendUnknownPath(reply: FastifyReply): FastifyReply
}

/** `folder`: where builds are; absent: in the package of the app. */
export function openWebApp(options: {
  publicUrl: string
  /** Of files of runs; absent: `publicUrl`. */
  assetsUrl?: string
  folder?: string | null
}): WebApp {
  const { folder = builtFolder() } = options
  const base = new URL(options.publicUrl).pathname.replace(/\/$/, '')
  const policy = contentPolicy(options)
  const files = new Map<string, Buffer>()
  let current: z.output<typeof Current> = {}
  let page: string | null = null
  let checkedAt = Number.NEGATIVE_INFINITY
  let readAt = 0

  /** Files of the build before stay: open tabs load their screens from it. */
  function refresh(): void {
    if (folder === null || performance.now() - checkedAt < checkMs) return
    checkedAt = performance.now()
    const changedAt = statSync(join(folder, 'current.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (changedAt === readAt) return
    current = Current.parse(JSON.parse(readFileSync(join(folder, 'current.json'), 'utf8')))
    readAt = changedAt
    if (current.id === undefined) return
    for (const name of readdirSync(join(folder, current.id)))
      files.set(name, readFileSync(join(folder, current.id, name)))
    page = pageOf(String(files.get('index.html')), { id: current.id, base })
  }

  return {
    serve(app) {
      const file = { config: { isAppFile: true } }
      app.get('/app/build.json', file, async (_request, reply) => {
        refresh()
        return reply.header('cache-control', 'no-store').send({ id: current.id ?? null })
      })
      app.get<{ Params: { name: string } }>('/app/:name', file, async ({ params, headers }, reply) => {
        refresh()
        const type = types[extname(params.name)]
        const bytes = files.get(params.name)
        if (type === undefined || bytes === undefined)
          return reply.code(404).type('text/plain').send('This file does not exist.\n')
        const encoding = chooseEncoding(headers['accept-encoding'])
        const packed = encoding && files.get(`${params.name}.${encoding === 'br' ? 'br' : 'gz'}`)
        reply.headers({ ...securityHeaders, 'content-type': type, vary: 'accept-encoding' })
        // Names contain the hash of the content.
        reply.header('cache-control', 'public, max-age=31536000, immutable')
        if (packed) reply.header('content-encoding', encoding)
        return reply.send(packed ?? bytes)
      })
    },
    sendUnknownPath(reply) {
      const [, prefix = ''] = reply.request.url.split(/[/?]/)
      if (otherPrefixes.has(prefix)) return sendNotFound(reply)
      refresh()
      if (page === null) return sendUnbuilt(reply, current.failure)
      return reply
        .code(200)
        .headers({
          ...securityHeaders,
          'content-type': 'text/html; charset=utf-8',
          'cache-control': 'no-cache',
        })
        .header('content-security-policy', policy)
        .send(page)
    },
  }
}

/** What was built last; null: nothing. */
export function readBuiltApp(): z.output<typeof Current> | null {
  const folder = builtFolder()
  const path = folder && join(folder, 'current.json')
  if (!path || !existsSync(path)) return null
  return Current.parse(JSON.parse(readFileSync(path, 'utf8')))
}

/** Null: the package isn't installed. */
function builtFolder(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@vedette/web/package.json')), 'dist')
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Paths in the built page are relative to its files; the page itself is at any path. */
function pageOf(built: string, { id, base }: { id: string; base: string }): string {
  const facts = html`<meta name="vedette-build" content="${id}"><meta name="vedette-base" content="${base}">`
  return built.replaceAll('="./', `="${base}/app/`).replace('<head>', `<head>${facts.text}`)
}

function sendUnbuilt(reply: FastifyReply, failure: string | undefined): FastifyReply {
  const isFailed = failure !== undefined
  return sendPage(reply, {
    status: 200,
    title: isFailed ? 'The web app couldn’t be built' : 'The web app is being built',
    tabTitle: 'Vedette',
    refreshSeconds: isFailed ? 10 : 2,
    body: isFailed
      ? html`<p>The server works: checks run, and the <a href="/docs">API</a> is ready. To build the app again, run
<code>npm run build:web</code> in the server’s directory. The reason:</p>
<pre>${failure.slice(0, 2_000)}</pre>`
      : html`<p>It takes a few seconds after the first start. This page then opens it by itself. The <a href="/docs">API</a> is ready.</p>`,
  })
}

function sendNotFound(reply: FastifyReply): FastifyReply {
  return sendPage(reply, {
    status: 404,
    title: 'This page doesn’t exist',
    body: html`<p>The address may be incomplete, or the page may have been removed.</p>`,
  })
}
