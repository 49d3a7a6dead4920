// The layout of all public pages: no scripts, no external resources, not cached, not indexed by search engines.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyReply } from 'fastify'
import { Html, html } from '../core/html.ts'
import { minifyCss, tokenSheet } from '../look/tokens.ts'

const style = tokenSheet + minifyCss(readFileSync(new URL('./page.css', import.meta.url), 'utf8'))

// Not escaped: the policy contains the hash of these bytes.
const styleSheet = new Html(style)

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  'x-content-type-options': 'nosniff',
  // URLs of pages contain tokens.
  'referrer-policy': 'no-referrer',
}

export interface PageContent {
  status: number
  title: string
  body: Html
  /** Title of the browser tab; absent: `title`. */
  tabTitle?: string
  /** Loads the address again after so many seconds. */
  refreshSeconds?: number
  /** Pages with a footer are wide and have the product's name above. */
  footer?: Html
}

/** The content of a page that a signed link opens. */
export type LinkedPage = Required<Pick<PageContent, 'title' | 'tabTitle' | 'body'>>

export function sendPage(reply: FastifyReply, content: PageContent): FastifyReply {
  const { status, title, body, tabTitle = title, footer = null, refreshSeconds } = content
  const refresh =
    refreshSeconds === undefined ? null : html`<meta http-equiv="refresh" content="${refreshSeconds}">\n`
  const page = html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
${refresh}<title>${tabTitle}</title>
<style>${styleSheet}</style>
</head>
<body${footer && new Html(' class="wide"')}>
${footer && html`<header>Vedette</header>\n`}<main>
<h1>${title}</h1>
${body}
</main>
${footer && html`<footer>${footer}</footer>\n`}</body>
</html>
`
  return reply.code(status).headers(headers).send(page.text)
}
