// The frame of every public page: no scripts, nothing from elsewhere, kept by no cache and no search engine.
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Html, html } from '../html.ts'

const style = `
body { margin: 0; padding: 24px; background: #f4f5f7; color: #1c2430; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 560px; margin: 0 auto; padding: 24px; background: #fff; border-radius: 8px; overflow-wrap: anywhere; }
h1 { margin-top: 0; font-size: 22px; }
h2 { font-size: 17px; }
.words { white-space: pre-line; }
.muted { color: #5b6472; font-size: 14px; }
input, button { padding: 8px 14px; font: inherit; border: 1px solid #8a93a0; border-radius: 6px; }
button { background: #1f5eff; border-color: #1f5eff; color: #fff; cursor: pointer; }
@media (prefers-color-scheme: dark) {
  body { background: #12161c; color: #e6e9ee; }
  main { background: #1b2129; }
  .muted { color: #9aa4b2; }
}
`

// As it is: escaped, it would be other bytes than those that the policy has the hash of.
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
  // Addresses of pages hold tokens.
  'referrer-policy': 'no-referrer',
}

export interface PageContent {
  status: number
  title: string
  body: Html
}

export function sendPage(reply: FastifyReply, { status, title, body }: PageContent): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>${styleSheet}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  return reply.code(status).headers(headers).send(page.text)
}
