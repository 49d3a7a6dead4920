// What the pages of a dashboard share.
import { readFileSync } from 'node:fs'
import { Html, html } from '../../core/html.ts'
import { minifyCss } from '../../look/tokens.ts'
import { contentClass, safeCss } from '../../look/user-css.ts'
import { type RenderedDocument, renderDocument } from '../document.ts'
import { renderIconLink, renderLogo } from '../page-images.ts'
import type { Speech } from '../texts/speech.ts'
import type { ThemeName } from '../theme.ts'
import { durationInWords } from '../words.ts'
import type { DashboardContent, DashboardRange, ShownCheck } from './content.ts'
import { sparkline } from './sparkline.ts'

const style = minifyCss(readFileSync(new URL('./style.css', import.meta.url), 'utf8'))

export interface DashboardView {
  speech: Speech
  theme: ThemeName
  /** The path of the dashboard. */
  base: string
  /** For screens on a wall: larger, without navigation. */
  isWall: boolean
  isStale: boolean
  /** In a frame of the app. */
  isPreview?: boolean
}

export function tab(href: string, words: string, isCurrent: boolean): Html {
  return html`<li><a href="${href}"${isCurrent ? new Html(' aria-current="page"') : null}>${words}</a></li>`
}

export function percentText(value: number | null, { percent }: Speech): string {
  return value === null ? '–' : percent(value / 100)
}

export function checkAddress({ id }: ShownCheck, range: DashboardRange, { base }: DashboardView): string {
  return `${base}/checks/${id}?range=${range}`
}

/** Null: nothing was measured. */
export function chartOf(check: ShownCheck, range: DashboardRange, speech: Speech, height = 24): Html | null {
  const isEmpty = check.points.every(({ p95, availability }) => p95 === null && availability === null)
  return isEmpty ? null : sparkline(check.points, trendText(check, range, speech), height)
}

function trendText({ points }: ShownCheck, range: DashboardRange, { texts }: Speech): string {
  const times = points.flatMap(({ p95 }) => p95 ?? [])
  const failed = points.filter(({ availability }) => availability !== null && availability < 100).length
  if (times.length === 0) return texts.trendWithoutTimes(range, failed, points.length)
  return texts.trendOf(
    range,
    durationInWords(Math.min(...times)),
    durationInWords(Math.max(...times)),
    failed,
    points.length,
  )
}

/** Around the content of every page of a dashboard. */
export function renderLayout(
  content: DashboardContent,
  view: DashboardView,
  main: Html,
  { refreshSeconds, next = null }: { refreshSeconds: number; next?: string | null },
): RenderedDocument {
  const { dashboard, images, at } = content
  const { settings } = dashboard
  const { speech } = view
  const { texts } = speech
  const title = settings.header ?? texts.dashboard
  const width = settings.width === '960PX' ? 'column narrow-page' : 'column full'
  const name = html`${renderLogo(images, settings, view)}${title}`
  const heading = settings.link ? html`<a href="${settings.link}">${name}</a>` : name
  const top = settings.showHeader
    ? html`<header class="top"><div class="${width}"><div><h1>${heading}</h1>
${settings.description ? html`<p class="words">${settings.description}</p>` : null}</div></div></header>`
    : html`<h1 class="unseen">${title}</h1>`
  const stale = view.isStale
    ? html`<p class="notice" role="status">${texts.staleSince(speech.timeText(at))}</p>`
    : null
  const body = html`<a class="skip" href="#content">${texts.skipToContent}</a>
${view.isWall ? new Html('<div class="wall">') : null}${top}
<main id="content" class="${width}"${next === null ? null : html` data-next="${next}"`}><div class="${contentClass}">
${stale}${main}
</div></main>
<footer class="${width}"><ul class="muted"><li>${texts.updatedAt(speech.timeText(at))}</li><li>${texts.timesInUtc}</li></ul></footer>${view.isWall ? new Html('</div>') : null}`
  const icon = renderIconLink(images, settings, view.base)
  return renderDocument({
    language: speech.language,
    title,
    style: style + safeCss(settings.customCSS ?? '').css,
    theme: view.theme,
    ...(icon && { head: icon }),
    body,
    isPreview: view.isPreview,
    isIndexed: false,
    refreshSeconds,
    ...(next === null ? {} : { refreshUrl: next }),
  })
}
