// Renders a dashboard and its incidents.
import { keysOf } from '@vedette/contracts'
import { type Html, html } from '../../core/html.ts'
import { stateIcon } from '../../look/icons.ts'
import type { ShownDashboardIncident } from '../../storage/pages/dashboard-incidents.ts'
import type { RenderedDocument } from '../document.ts'
import type { Speech } from '../texts/speech.ts'
import { durationInWords } from '../words.ts'
import { type DashboardContent, type DashboardRange, dashboardRanges, type ShownCheck } from './content.ts'
import { chartOf, checkAddress, type DashboardView, percentText, renderLayout, tab } from './layout.ts'

export function renderDashboard(content: DashboardContent, view: DashboardView): RenderedDocument {
  const { dashboard, checks, page, pages, range } = content
  const { speech } = view
  const { texts } = speech
  const { settings } = dashboard
  const open = content.incidents.filter(({ stoppedAt }) => stoppedAt === null)
  const main = html`${open.map((incident) => html`<p class="headline ${impactState(incident)}">${stateIcon(impactState(incident))}<a href="${view.base}/incidents">${incident.name}</a></p>`)}
${countLine(content, speech)}
<div class="tabs">${sections(content, view, 'checks')}
<nav aria-label="${texts.range}"><ul>${keysOf(dashboardRanges).map((name) => tab(addressOf(view, { range: name }), name, name === range))}</ul></nav></div>
${checks.length === 0 ? html`<p class="block muted">${texts.noChecks}</p>` : table(content, view)}
${pages === 1 ? null : pageLinks(content, view)}`
  // The next page is due, or the same one with new figures.
  const turns = pages > 1
  const refreshSeconds = turns ? settings.paginationRate : settings.refreshRate
  const next = turns ? addressOf(view, { range, page: (page % pages) + 1 }) : null
  return renderLayout(content, view, main, { refreshSeconds, next })
}

export function renderDashboardIncidents(content: DashboardContent, view: DashboardView): RenderedDocument {
  const { texts } = view.speech
  const main = html`${countLine(content, view.speech)}
<div class="tabs">${sections(content, view, 'incidents')}</div>
${content.incidents.length === 0 ? html`<p class="block muted">${texts.noIncidents}</p>` : null}
${content.incidents.map((incident) => renderIncident(incident, content, view))}`
  return renderLayout(content, view, main, { refreshSeconds: content.dashboard.settings.refreshRate })
}

const shownStates = ['failing', 'degraded', 'unknown', 'maintenance', 'passing'] as const

function countLine({ counts }: DashboardContent, { texts }: Speech): Html {
  const shown = shownStates.filter((state) => (counts.get(state) ?? 0) > 0)
  return html`<ul class="counts">${shown.map((state) => html`<li><span class="state ${state}">${stateIcon(state)}${counts.get(state) ?? 0} ${texts.checkStates[state]}</span></li>`)}</ul>`
}

function sections(
  { dashboard }: DashboardContent,
  view: DashboardView,
  current: 'checks' | 'incidents',
): Html {
  const { texts } = view.speech
  if (!dashboard.settings.enableIncidents) return html`<span></span>`
  return html`<nav aria-label="${texts.sections}"><ul>${tab(view.base || '/', texts.checks, current === 'checks')}${tab(`${view.base}/incidents`, texts.incidents, current === 'incidents')}</ul></nav>`
}

function addressOf(
  view: DashboardView,
  { range, page = 1 }: { range: DashboardRange; page?: number },
): string {
  const query = new URLSearchParams({
    range,
    ...(page > 1 ? { page: String(page) } : {}),
    ...(view.isWall ? { wall: '1' } : {}),
  })
  return `${view.base || '/'}?${query}`
}

function pageLinks({ page, pages, range }: DashboardContent, view: DashboardView): Html {
  const { texts } = view.speech
  const link = (to: number, words: string, rel: string) =>
    to < 1 || to > pages
      ? html`<span></span>`
      : html`<a rel="${rel}" href="${addressOf(view, { range, page: to })}">${words}</a>`
  return html`<nav class="pages" aria-label="${texts.pages}">${link(page - 1, texts.previousPage, 'prev')}
<span>${texts.pageOf(page, pages)}</span>${link(page + 1, texts.nextPage, 'next')}</nav>`
}

function table({ dashboard, checks, range }: DashboardContent, view: DashboardView): Html {
  const { texts } = view.speech
  const { showP95, showP99 } = dashboard.settings
  const heads = [texts.availability, ...(showP95 ? ['P95'] : []), ...(showP99 ? ['P99'] : []), texts.trend]
  return html`<div class="checks"><table><caption class="unseen">${texts.checksOver(range)}</caption>
<thead><tr><th class="what" scope="col">${texts.check}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>
${checks.map((check) => row(check, dashboard.settings, range, view))}</tbody></table></div>`
}

type Settings = DashboardContent['dashboard']['settings']

function row(check: ShownCheck, settings: Settings, range: DashboardRange, view: DashboardView): Html {
  const { speech } = view
  const { texts } = speech
  const name = html`<a href="${checkAddress(check, range, view)}">${check.name}</a>`
  const group =
    settings.showGroupNames && check.groupName !== null
      ? html`<span class="group">${check.groupName} / </span>`
      : null
  const tags =
    settings.hideTags || check.tags.length === 0
      ? null
      : html`<ul class="tags">${check.tags.map((tag) => html`<li>${tag}</li>`)}</ul>`
  const lastRun =
    check.runUrl === null ? null : html` <a class="last-run" href="${check.runUrl}">${texts.lastRun}</a>`
  const cell = (title: string, words: string) => html`<td data-name="${title}">${words}</td>`
  const time = (ms: number | null) => (ms === null || check.kind === 'untimed' ? '–' : durationInWords(ms))
  const last =
    check.kind === 'ping'
      ? cell(texts.packetLoss, percentText(check.packetLoss, speech))
      : cell('P99', time(check.p99))
  const chart = chartOf(check, range, speech) ?? html`<span class="muted">${texts.noData}</span>`
  const cells = html`<th class="what" scope="row"><span class="state ${check.state}">${stateIcon(check.state)}<span class="title">${group}${name}</span></span>${lastRun}${tags}
<span class="unseen">${texts.checkStates[check.state]}</span></th>
${cell(texts.availability, percentText(check.availability, speech))}${settings.showP95 ? cell('P95', time(check.p95)) : null}${settings.showP99 ? last : null}`
  if (!settings.expandChecks) return html`<tr>${cells}<td class="trend" data-name="">${chart}</td></tr>\n`
  const columns = 3 + (settings.showP95 ? 1 : 0) + (settings.showP99 ? 1 : 0)
  return html`<tr>${cells}<td class="trend" data-name=""></td></tr>
<tr class="expanded"><td colspan="${columns}" data-name="">${chart}</td></tr>\n`
}

function impactState({ impact }: ShownDashboardIncident): 'failing' | 'degraded' | 'maintenance' {
  return impact === 'MAINTENANCE' ? 'maintenance' : impact === 'MAJOR' ? 'failing' : 'degraded'
}

function renderIncident(
  incident: ShownDashboardIncident,
  { at }: DashboardContent,
  { speech }: DashboardView,
): Html {
  const { texts } = speech
  const [start, end] = [
    Date.parse(incident.startedAt),
    incident.stoppedAt === null ? null : Date.parse(incident.stoppedAt),
  ]
  const span =
    end === null ? texts.ongoing(speech.duration(at - start)) : texts.lasted(speech.duration(end - start))
  const state = end === null ? impactState(incident) : 'passing'
  return html`<article class="card"><header><h2 class="state ${state}">${stateIcon(state)}${incident.name}</h2><span class="muted">${span}</span></header>
${incident.updates.map(
  (update) => html`<article><h3>${texts.updateStatuses[update.status] ?? update.status}</h3>
<p class="muted">${speech.time(Date.parse(update.at))}</p><p class="words">${update.description}</p></article>
`,
)}</article>
`
}
