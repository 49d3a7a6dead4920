// A complete HTML document: one response, no other request. Styles are inline, and the content security policy names their hash.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Html, html } from '../core/html.ts'
import { minifyCss, tokenSheet } from '../look/tokens.ts'
import type { ThemeName } from './theme.ts'

export interface DocumentParts {
  language: string
  title: string
  /** Besides tokens and shared rules. */
  style: string
  theme: ThemeName
  /** Elements of the head besides title and style. */
  head?: Html | null
  body: Html
  isIndexed: boolean
  /** Reloads the content this often; absent: never. */
  refreshSeconds?: number
  /** What is loaded then; absent: the same page. `main` must have it as data-next. */
  refreshUrl?: string
  /** Shown in a frame of the app: links and forms do nothing there, and it doesn't reload. */
  isPreview?: boolean | undefined
}

export interface RenderedDocument {
  text: string
  headers: Record<string, string>
}

const readSheet = (path: string) => minifyCss(readFileSync(new URL(path, import.meta.url), 'utf8'))
const baseSheet = readSheet('../look/elements.css') + readSheet('./base.css')

export function renderDocument(parts: DocumentParts): RenderedDocument {
  const { language, title, theme, head = null, body, refreshUrl, isPreview = false } = parts
  const isIndexed = parts.isIndexed && !isPreview
  const refreshSeconds = isPreview ? null : (parts.refreshSeconds ?? null)
  const style = tokenSheet + baseSheet + parts.style
  const robots = isIndexed ? null : html`<meta name="robots" content="noindex, nofollow">\n`
  const script = refreshSeconds === null ? null : refreshScript(refreshSeconds)
  // Without scripts the whole page is loaded again.
  const refresh =
    refreshSeconds === null
      ? null
      : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}${refreshUrl === undefined ? null : `; url=${refreshUrl}`}"></noscript>\n`
  const themed = theme === 'auto' ? null : html` data-theme="${theme}"`
  const { text } = html`<!DOCTYPE html>
<html lang="${language}"${themed}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${robots}<title>${title}</title>
${isPreview ? html`<base target="_blank">\n` : null}${head}${refresh}<style>${new Html(style)}</style>
</head>
<body>
${body}
${script && html`<script>${new Html(script)}</script>\n`}</body>
</html>
`
  return { text, headers: { ...securityHeaders(style, script, isPreview), ...(isIndexed ? {} : noIndex) } }
}

const noIndex = { 'x-robots-tag': 'noindex, nofollow' }

/** Replaces the content without a flicker, unless the visitor is using it. */
function refreshScript(seconds: number): string {
  return `setInterval(async()=>{
let m=document.querySelector('main'),u=m.dataset.next||location.href,r=await fetch(u).catch(()=>0)
if(!r||!r.ok||m.contains(document.activeElement))return
let n=new DOMParser().parseFromString(await r.text(),'text/html').querySelector('main'),o=m.querySelectorAll('details')
n.querySelectorAll('details').forEach((d,i)=>d.open=o[i]&&o[i].open&&!m.dataset.next)
if(n.innerHTML!==m.innerHTML)m.replaceWith(n)
if(m.dataset.next)history.replaceState(null,'',u)
},${seconds}e3)`
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function securityHeaders(style: string, script: string | null, isPreview: boolean): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `style-src ${hashOf(style)}`,
      ...(script === null ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
      "img-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      // In a sandbox without popups, links that would open a tab do nothing.
      ...(isPreview ? ["frame-ancestors 'self'", 'sandbox'] : ["frame-ancestors 'none'"]),
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}
