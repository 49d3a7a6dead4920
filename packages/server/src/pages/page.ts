// The layout of all public pages: no scripts, no external resources, not cached, not indexed by search engines.
import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Html, html } from '../core/html.ts'

const style = `
:root { color-scheme: light dark; --page: #f6f7f9; --surface: #fff; --text: #1a1f27; --muted: #57606a; --border: #d0d7de;
  --accent: #0b57d0; --on-accent: #fff; --passing: #116329; --degraded: #7d4e00; --failing: #b3261e; --bar: #57606a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f1318; --surface: #171c23; --text: #e6e9ee; --muted: #9aa4b2; --border: #303845; --accent: #a8c7fa;
    --on-accent: #0f1318; --passing: #5bd07d; --degraded: #e3b341; --failing: #ff8a80; --bar: #9aa4b2; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 24px 16px; background: var(--page); color: var(--text); font: 14px/20px system-ui, sans-serif; }
header, main, footer { max-width: 560px; margin: 0 auto; overflow-wrap: anywhere; }
.wide header, .wide main, .wide footer { max-width: 880px; }
header { padding: 0 4px 12px; color: var(--muted); font-weight: 600; }
main { padding: 24px; background: var(--surface); border: 1px solid var(--border); border-radius: 6px; }
footer { padding: 12px 4px 0; color: var(--muted); font-size: 12px; line-height: 16px; }
h1 { margin: 0 0 12px; font-size: 20px; line-height: 28px; }
h2 { margin: 28px 0 8px; font-size: 16px; line-height: 24px; }
p { margin: 0 0 12px; }
a { color: var(--accent); }
.words { white-space: pre-line; }
.muted { color: var(--muted); font-size: 13px; }
.num { font-variant-numeric: tabular-nums; }
.state { display: flex; align-items: center; gap: 8px; font-weight: 600; }
.lead.state { font-size: 16px; line-height: 24px; }
.state svg { flex: none; }
.passing { color: var(--passing); }
.degraded { color: var(--degraded); }
.failing { color: var(--failing); }
.neutral { color: var(--muted); }
.reason { padding: 8px 12px; border-left: 3px solid var(--border); }
.reason.failing { border-color: var(--failing); color: var(--text); }
.reason.degraded { border-color: var(--degraded); color: var(--text); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 24px; margin: 0 0 12px; }
dt { color: var(--muted); }
dd { margin: 0; }
ul.rows, ol.rows { margin: 0 0 12px; padding: 0; list-style: none; border-top: 1px solid var(--border); }
.rows li { padding: 8px 0; border-bottom: 1px solid var(--border); }
.run { display: grid; grid-template-columns: 136px 1fr max-content; gap: 0 16px; align-items: start; }
.run .muted { grid-column: 2 / -1; }
.phase { display: grid; grid-template-columns: 176px 1fr 72px; gap: 16px; align-items: center; }
.phase .num { text-align: right; }
.phase svg { display: block; width: 100%; height: 8px; fill: var(--bar); }
.indent { padding-left: 24px; }
main > :last-child { margin-bottom: 0; }
input, button { min-height: 44px; padding: 8px 14px; font: inherit; border: 1px solid #8a93a0; border-radius: 6px; }
button { background: var(--accent); border-color: var(--accent); color: var(--on-accent); cursor: pointer; }
@media (max-width: 480px) {
  body { padding: 16px 8px; }
  main { padding: 16px; }
  dl { grid-template-columns: fit-content(45%) 1fr; gap: 4px 16px; }
  .run { grid-template-columns: 1fr max-content; }
  .run .where, .run .muted { grid-column: 1 / -1; padding-left: 24px; }
  .run .num { grid-row: 1; grid-column: 2; }
  .phase { grid-template-columns: 116px 1fr 64px; gap: 8px; }
}
`

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
  /** Pages with a footer are wide and have the product's name above. */
  footer?: Html
}

/** The content of a page that a signed link opens. */
export type LinkedPage = Required<Pick<PageContent, 'title' | 'tabTitle' | 'body'>>

export function sendPage(reply: FastifyReply, content: PageContent): FastifyReply {
  const { status, title, body, tabTitle = title, footer = null } = content
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${tabTitle}</title>
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
