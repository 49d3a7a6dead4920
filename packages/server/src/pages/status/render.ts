// Renders a status page and its incidents.
import { readFileSync } from 'node:fs'
import { dayMs } from '@vedette/contracts'
import { type Html, html } from '../../core/html.ts'
import { stateIcon } from '../../look/icons.ts'
import { minifyCss } from '../../look/tokens.ts'
import { type RenderedDocument, renderDocument } from '../document.ts'
import { renderIconLink, renderLogo } from '../page-images.ts'
import { chooseSpeech, languages, type Speech } from '../texts/speech.ts'
import { pageColors } from './colors.ts'
import {
  backfilledMs,
  type ShownIncident,
  type ShownService,
  type StatusContent,
  severityFor,
} from './content.ts'
import type { MonthHistory } from './history.ts'
import type { ShownMaintenance } from './maintenance.ts'
import {
  maintenanceDetails,
  pastMaintenance,
  plannedMaintenance,
  runningMaintenance,
} from './maintenance-html.ts'
import { renderComponents } from './render-components.ts'
import { subscribeForm } from './subscribe-form.ts'
import { type PublicState, severityState } from './uptime.ts'
import { address, type View } from './view.ts'

const style = minifyCss(readFileSync(new URL('./style.css', import.meta.url), 'utf8'))

/** For parts of the page that other files render. */
function partsOf(view: View) {
  return { speech: view.speech, base: view.base, link: (path: string) => address(view, path) }
}

const pastDays = 14

export function renderStatusPage(content: StatusContent, view: View): RenderedDocument {
  const { speech } = view
  const { texts } = speech
  const { page, components, incidents } = content
  const open = incidents.filter(({ end }) => end === null)
  const past = incidents.filter(({ end }) => end !== null && end >= content.at - pastDays * dayMs)
  const { state } = content
  const main = html`<p class="headline ${state}" role="status">${stateIcon(state)}${headlineText(content, speech)}</p>
${
  open.length === 0
    ? null
    : html`<section class="card" aria-labelledby="open"><header><h2 id="open">${texts.openIncidents}</h2></header>
${open.map((incident) => renderOpen(incident, content, view))}</section>`
}
${runningMaintenance(content, partsOf(view))}${components.length === 0 ? html`<p class="block muted">${texts.noServices}</p>` : renderComponents(components, speech)}
${plannedMaintenance(content, partsOf(view))}<section class="block" aria-labelledby="past"><h2 id="past">${texts.pastIncidents}</h2>
${
  past.length === 0
    ? html`<p class="muted">${texts.noIncidents}</p>`
    : byDay(
        past.map((incident) => pastEntry(incident, content.at, view)),
        speech,
      )
}
<p class="block"><a href="${address(view, '/history')}">${texts.history}</a></p></section>`
  return document(content, view, { title: page.name, heading: 'h1', main })
}

export function renderIncident(
  content: StatusContent,
  incident: ShownIncident,
  view: View,
): RenderedDocument {
  const { speech } = view
  const { texts } = speech
  const latest = incident.updates[0]
  const main = html`<p><a href="${address(view, '/')}">${texts.backToPage(content.page.name)}</a></p>
<div class="block"><h1>${incident.name}</h1>
<p class="state ${toneOf(incident)}">${stateIcon(toneOf(incident))}${statusText(latest?.status, speech)}</p>
<p class="muted">${spanText(incident, content.at, speech)}${addedLater(incident.addedAt, speech)}</p>
${affected(incident, content, speech)}</div>
${postmortem(incident, speech)}<section class="card" aria-labelledby="updates"><header><h2 id="updates">${texts.updates}</h2></header>
${incident.updates.map(
  (update) => html`<article><h3>${statusText(update.status, speech)}</h3>
<p class="muted">${speech.time(Date.parse(update.at))}${incident.addedAt === null ? addedLater(writtenLater(update), speech) : null}</p>
<p class="words">${update.description}</p></article>
`,
)}</section>`
  return document(content, view, {
    title: `${incident.name} · ${content.page.name}`,
    heading: 'p',
    main,
  })
}

export function renderMaintenance(
  content: StatusContent,
  maintenance: ShownMaintenance,
  view: View,
): RenderedDocument {
  const main = html`<p><a href="${address(view, '/')}">${view.speech.texts.backToPage(content.page.name)}</a></p>
${maintenanceDetails(maintenance, content, view.speech)}`
  return document(content, view, {
    title: `${maintenance.window.name} · ${content.page.name}`,
    heading: 'p',
    main,
  })
}

export function renderHistory(
  content: StatusContent,
  { month, incidents, maintenance, neighbors }: MonthHistory,
  view: View,
): RenderedDocument {
  const { texts } = view.speech
  const title = view.speech.month(month)
  const link = (to: string | null, words: string, rel: string) =>
    to === null
      ? html`<span></span>`
      : html`<a rel="${rel}" href="${address(view, `/history/${to}`)}">${words}</a>`
  const entries = [
    ...incidents.map((incident) => pastEntry(incident, content.at, view)),
    ...maintenance.map((one) => ({ start: one.start, line: pastMaintenance(one, partsOf(view)) })),
  ].sort((a, b) => b.start - a.start)
  const main = html`<p><a href="${address(view, '/')}">${texts.backToPage(content.page.name)}</a></p>
<h1 class="block">${texts.history}</h1>
<section aria-labelledby="month"><h2 id="month">${title}</h2>
${entries.length === 0 ? html`<p class="muted">${texts.nothingInMonth}</p>` : byDay(entries, view.speech)}</section>
<nav class="pages" aria-label="${texts.history}">${link(neighbors.newer, texts.newer, 'prev')}${link(neighbors.older, texts.older, 'next')}</nav>
${view.isStatic || content.lock !== null ? null : timeForm(content, view)}`
  return document(content, view, { title: `${title} · ${content.page.name}`, heading: 'p', main })
}

/** The state of the page in one sentence. */
export function headlineText({ state, services }: StatusContent, { texts }: Speech): string {
  if (state === 'passing') return texts.allOperational
  if (state === 'maintenance') return texts.underMaintenance
  const affected = services.filter((service) => service.state === state).map(({ name }) => name)
  return affected.length <= 3
    ? texts.trouble(texts.states[state], affected.join(', '))
    : texts.troubleOfMany(texts.states[state], affected.length)
}

function renderOpen(incident: ShownIncident, content: StatusContent, view: View): Html {
  const { speech } = view
  const [latest] = incident.updates
  if (latest === undefined) return html``
  return html`<article><h3><a href="${address(view, `/incidents/${incident.id}`)}">${incident.name}</a></h3>
<p class="state ${incident.state}">${stateIcon(incident.state)}${speech.texts.states[incident.state]}</p>
${affected(incident, content, speech)}<p class="words">${latest.description}</p>
<p class="muted">${statusText(latest.status, speech)} · ${speech.time(Date.parse(latest.at))}</p></article>
`
}

/** With the impact on each service, where they differ. */
function affected(incident: ShownIncident, { services }: StatusContent, { texts }: Speech): Html | null {
  const touched = services.filter(({ id }) => incident.serviceIds.includes(id))
  const stateOf = ({ id }: ShownService) => severityState(severityFor(incident, id))
  const isUniform = new Set(touched.map(stateOf)).size <= 1
  const names = touched.map((service) =>
    isUniform ? service.name : `${service.name} (${texts.states[stateOf(service)]})`,
  )
  return names.length === 0 ? null : html`<p>${texts.affected}: ${names.join(', ')}</p>\n`
}

interface PastEntry {
  start: number
  line: Html
}

/** Grouped by the day on which they began, in the given order. */
function byDay(entries: readonly PastEntry[], speech: Speech): Html[] {
  const days = Map.groupBy(entries, ({ start }) => Math.floor(start / dayMs) * dayMs)
  return [...days].map(
    ([day, group]) => html`<section class="day"><h3>${speech.day(day)}</h3>
${group.map(({ line }) => line)}</section>
`,
  )
}

function pastEntry(incident: ShownIncident, now: number, view: View): PastEntry {
  const { speech } = view
  const [latest] = incident.updates
  const line = html`<article class="update"><p><a href="${address(view, `/incidents/${incident.id}`)}">${incident.name}</a></p>
<p class="words">${latest?.description ?? ''}</p>
<p class="muted">${statusText(latest?.status, speech)} · ${spanText(incident, now, speech)}${addedLater(incident.addedAt, speech)}</p></article>
`
  return { start: incident.start, line }
}

function toneOf({ state, end }: ShownIncident): PublicState {
  return end === null ? state : 'passing'
}

function statusText(status: string | undefined, { texts }: Speech): string {
  return texts.updateStatuses[status ?? ''] ?? ''
}

function spanText({ start, end }: ShownIncident, now: number, { duration, texts }: Speech): string {
  return end === null ? texts.ongoing(duration(now - start)) : texts.lasted(duration(end - start))
}

function postmortem({ postmortem: text, postmortemAt }: ShownIncident, speech: Speech): Html | null {
  if (text === null || postmortemAt === null) return null
  return html`<section class="card" aria-labelledby="postmortem"><header><h2 id="postmortem">${speech.texts.postmortem}</h2></header>
<article><p class="muted">${speech.time(Date.parse(postmortemAt))}</p>
<p class="words">${text}</p></article></section>
`
}

/** When an update was written whose date was set to a time long before. */
function writtenLater({ at, createdAt }: { at: string; createdAt: string }): number | null {
  const written = Date.parse(createdAt)
  return written - Date.parse(at) > backfilledMs ? written : null
}

function addedLater(at: number | null, { texts, day }: Speech): string | null {
  return at === null ? null : ` · ${texts.addedLater(day(at))}`
}

interface Parts {
  title: string
  /** The name of the page is the heading only where nothing else is. */
  heading: 'h1' | 'p'
  main: Html
}

function document(content: StatusContent, view: View, { title, heading, main }: Parts): RenderedDocument {
  const { page, images, at } = content
  const { speech, base } = view
  const { texts } = speech
  const { settings } = page
  const home = settings.redirectTo ?? `${base}/`
  const theme = view.theme ?? themes[settings.defaultTheme]
  const name = html`<a href="${home}">${renderLogo(images, settings, { base, theme })}${page.name}</a>`
  const stale = view.isStale
    ? html`<p class="notice" role="status">${texts.staleSince(speech.timeText(at))}</p>`
    : null
  const past =
    view.past === null
      ? null
      : html`<p class="notice" role="status">${texts.asOf(speech.timeText(at))} <a href="${base}/">${texts.asOfNow}</a></p>`
  const canSubscribe = content.lock === null && !view.isStatic && past === null
  const description = settings.description
    ? html`<p class="description words">${settings.description}</p>`
    : null
  const body = html`<a class="skip" href="#content">${texts.skipToContent}</a>
<header class="top"><div class="column">${heading === 'h1' ? html`<h1>${name}</h1>` : html`<p class="name">${name}</p>`}
${canSubscribe ? html`<nav aria-label="${texts.subscribe}"><a href="#subscribe">${texts.subscribe}</a></nav>` : null}</div></header>
<main id="content" class="column">
${stale}${past}${heading === 'h1' ? description : null}${main}
</main>
<footer class="column">${canSubscribe ? subscribeForm(content, view) : null}
${settings.footerText ? html`<p class="footnote words">${settings.footerText}</p>\n` : null}${ownLinks(settings, speech)}<ul class="muted"><li>${texts.feeds}: <a href="${base}/feed.rss">RSS</a>, <a href="${base}/feed.atom">Atom</a>, <a href="${base}/feed.json">JSON</a>, <a href="${base}/maintenance.ics">iCalendar</a></li>
<li>${texts.updatedAt(speech.timeText(at))}</li><li>${texts.timesInUtc}</li>
${view.isStatic ? null : languages.map((language) => languageLink(language, speech))}</ul></footer>`
  const feed = (kind: string, type: string) =>
    html`<link rel="alternate" type="${type}" title="${page.name}" href="${base}/feed.${kind}">\n`
  return renderDocument({
    language: speech.language,
    title,
    style: style + pageColors(settings.themeColors),
    theme,
    head: html`${renderIconLink(images, settings, base)}${feed('rss', 'application/rss+xml')}${feed('atom', 'application/atom+xml')}`,
    body,
    isPreview: view.isPreview,
    isIndexed: content.lock === null && past === null && settings.allowIndexing !== false,
    ...(past === null ? { refreshSeconds: 60 } : {}),
  })
}

const themes = { LIGHT: 'light', DARK: 'dark', AUTO: 'auto' } as const

function ownLinks(settings: StatusContent['page']['settings'], { texts }: Speech): Html | null {
  const links = [
    [settings.supportLink, texts.support],
    [settings.privacyPolicyLink, texts.privacyPolicy],
    [settings.termsOfServiceLink, texts.termsOfService],
  ] as const
  const shown = links.filter(([url]) => url)
  if (shown.length === 0) return null
  return html`<ul class="own">${shown.map(([url, words]) => html`<li><a href="${url ?? ''}">${words}</a></li>`)}</ul>\n`
}

function languageLink(language: string, speech: Speech): Html | null {
  if (language === speech.language) return null
  const { texts } = chooseSpeech(language, undefined)
  return html`<li><a href="?lang=${language}" hreflang="${language}" lang="${language}">${texts.language}</a></li>`
}

/** Opens the page as it was at a time. */
function timeForm({ page, at }: StatusContent, { base, speech: { texts } }: View): Html {
  const shown = (ms: number) => new Date(ms).toISOString().slice(0, 16)
  const first = page.public_since === null ? at : Date.parse(page.public_since)
  return html`<form class="block" method="get" action="${base}/">
<label for="at">${texts.pageAtTime}</label>
<input id="at" type="datetime-local" name="at" required min="${shown(first)}" max="${shown(at)}" value="${shown(at)}">
<button type="submit">${texts.open}</button>
</form>`
}
