// Small pages: signed links, subscriptions, keys, errors. They aren't cached and not indexed by search engines.
import { readFileSync } from 'node:fs'
import type { FastifyReply } from 'fastify'
import { type Html, html } from '../core/html.ts'
import { minifyCss } from '../look/tokens.ts'
import { renderDocument } from './document.ts'

const style = minifyCss(readFileSync(new URL('./page.css', import.meta.url), 'utf8'))

export interface PageContent {
  status: number
  title: string
  body: Html
  /** Title of the browser tab; absent: `title`. */
  tabTitle?: string
  /** Absent: English. */
  language?: string
  /** Loads the address again after so many seconds. */
  refreshSeconds?: number
  /** In a frame of the app. */
  isPreview?: boolean
  /** Pages with a footer are wide and have the product's name above. */
  footer?: Html
}

/** The content of a page that a signed link opens. */
export type LinkedPage = Required<Pick<PageContent, 'title' | 'tabTitle' | 'body'>>

export function sendPage(reply: FastifyReply, content: PageContent): FastifyReply {
  const { status, title, body, tabTitle = title, footer = null, language = 'en' } = content
  const { refreshSeconds, isPreview } = content
  const { text, headers } = renderDocument({
    ...{ language, title: tabTitle, style, theme: 'auto', isIndexed: false, isPreview },
    head:
      refreshSeconds === undefined ? null : html`<meta http-equiv="refresh" content="${refreshSeconds}">\n`,
    body: html`${footer && html`<header class="small wide">Vedette</header>\n`}<main class="small${footer && ' wide'}">
<h1>${title}</h1>
${body}
</main>${footer && html`\n<footer class="small wide">${footer}</footer>`}`,
  })
  return reply.code(status).headers(headers).header('cache-control', 'no-store').send(text)
}
