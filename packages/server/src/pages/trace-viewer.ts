// Serves the trace viewer that is part of Playwright under /trace-viewer/, so that traces open without a third party.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { errorCode } from '@vedette/safeguards/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { snapshotGuard } from './snapshot-guard.ts'

const prefix = '/trace-viewer/'

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.webmanifest': 'application/manifest+json',
}

export function serveTraceViewer(
  app: FastifyInstance,
  { publicUrl, assetsUrl }: { publicUrl: string; assetsUrl: string },
): void {
  const folder = viewerFolder()
  const files: ReadonlyMap<string, Buffer> = folder === null ? new Map() : readViewer(folder)
  const inline = hashesOf(
    [...files].flatMap(([name, text]) => (name.endsWith('.html') ? [String(text)] : [])),
  )
  const isElsewhere = ({ hostname }: FastifyRequest) =>
    assetsUrl !== publicUrl && hostname !== new URL(assetsUrl).hostname
  const send = (request: FastifyRequest, reply: FastifyReply, name: string) => {
    if (isElsewhere(request)) return reply.redirect(assetsUrl + request.url)
    const bytes = files.get(name)
    if (bytes === undefined) return reply.code(404).type('text/plain').send('This file does not exist.\n')
    return reply
      .headers({
        ...headersOf(name),
        'content-security-policy': policyFor(inline, [request.host, assetsUrl.replace(/^\w+:\/\//, '')]),
      })
      .send(bytes)
  }
  app.get(prefix.slice(0, -1), { config: { isFixed: true } }, async (request, reply) => {
    const [path = '', query] = request.url.split('?')
    // The paths in the page are relative.
    if (!path.endsWith('/')) return reply.redirect(query === undefined ? prefix : `${prefix}?${query}`)
    return send(request, reply, 'index.html')
  })
  app.get<{ Params: { '*': string } }>(`${prefix}*`, { config: { isFixed: true } }, async (request, reply) =>
    send(request, reply, request.params['*']),
  )
}

function headersOf(name: string): Record<string, string> {
  // Files with a hash in their name never change.
  const isHashed = /[.-][\w-]{8}\.\w+$/.test(name)
  return {
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}

/** Null: Playwright isn't installed. */
function viewerFolder(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve('playwright-core/package.json')
    return join(dirname(manifest), 'lib', 'vite', 'traceViewer')
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Two megabytes, read once, so that no name in a request becomes a file path. */
function readViewer(folder: string): Map<string, Buffer> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name)
        const name = path.slice(folder.length + 1)
        const guard = name === 'sw.bundle.js' ? snapshotGuard : ''
        return [name, Buffer.concat([Buffer.from(guard), readFileSync(path)])]
      }),
  )
}

/** Of the scripts within pages. */
function hashesOf(pages: string[]): string {
  const scripts = pages.flatMap((page) => [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)])
  const hashes = scripts.map(([, text = '']) => createHash('sha256').update(text).digest('base64'))
  return hashes.map((hash) => `'sha256-${hash}'`).join(' ')
}

/**
 * The viewer may load from this server only, and needs its service worker and frames. Its requests reach its own files and those of runs,
 * but not the API: it shows what untrusted code wrote.
 */
function policyFor(hashes: string, addresses: string[]): string {
  // Policies have no notation for IPv6 addresses.
  const isNamed = addresses.every((address) => /^[\w.-]+(:\d+)?(\/[\w.~/-]*)?$/.test(address))
  const within = (folder: string) =>
    [...new Set(addresses)].map((address) => `${address}/${folder}/`).join(' ')
  const own = isNamed ? within('trace-viewer') : "'self'"
  const files = isNamed ? within('assets') : ''
  return [
    "default-src 'none'",
    `script-src ${own} 'wasm-unsafe-eval' ${hashes}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "media-src 'self' data: blob:",
    `connect-src ${own} ${files} data: blob:`,
    `worker-src ${own} blob:`,
    "frame-src 'self' data: blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')
}
