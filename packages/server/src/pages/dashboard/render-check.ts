// Renders one check of a dashboard: its figures, a chart, the latest runs. Failure messages aren't public.
import { keysOf } from '@vedette/contracts'
import { type Html, html } from '../../core/html.ts'
import { stateIcon } from '../../look/icons.ts'
import type { RenderedDocument } from '../document.ts'
import type { Speech } from '../texts/speech.ts'
import { durationInWords } from '../words.ts'
import {
  type DashboardContent,
  type DashboardRange,
  dashboardRanges,
  type ShownCheck,
  type ShownRun,
} from './content.ts'
import { chartOf, checkAddress, type DashboardView, percentText, renderLayout, tab } from './layout.ts'

export function renderDashboardCheck(
  content: DashboardContent,
  view: DashboardView,
): RenderedDocument | null {
  const { dashboard, range, runs } = content
  const { settings } = dashboard
  const [check] = content.checks
  if (check === undefined) return null
  const { speech } = view
  const { texts } = speech
  const group = settings.showGroupNames && check.groupName !== null ? `${check.groupName} / ` : ''
  const tags = settings.hideTags ? [] : check.tags
  const main = html`<p><a href="${view.base || '/'}?range=${range}">${texts.backToPage(settings.header ?? texts.dashboard)}</a></p>
<div class="headline ${check.state}">${stateIcon(check.state)}<h2>${group}${check.name}</h2><span>${texts.checkStates[check.state]}</span></div>
${tags.length === 0 ? null : html`<ul class="tags">${tags.map((tag) => html`<li>${tag}</li>`)}</ul>`}
<div class="tabs"><nav aria-label="${texts.range}"><ul>${keysOf(dashboardRanges).map((name) => tab(checkAddress(check, name, view), name, name === range))}</ul></nav></div>
<dl class="figures">${figures(check, settings, speech)}</dl>
${chart(check, range, speech)}
<section class="block"><h2>${texts.latestRuns}</h2>
${runs.length === 0 ? html`<p class="muted">${texts.noData}</p>` : html`<ul class="card runs">${runs.map((run) => runItem(run, speech))}</ul>`}</section>`
  return renderLayout(content, view, main, { refreshSeconds: settings.refreshRate })
}

function figures(
  check: ShownCheck,
  { showP95, showP99 }: DashboardContent['dashboard']['settings'],
  speech: Speech,
): Html[] {
  const { texts } = speech
  const time = (ms: number | null) => (ms === null ? '–' : durationInWords(ms))
  const entries: [string, string][] = [[texts.availability, percentText(check.availability, speech)]]
  if (check.kind !== 'untimed' && showP95) entries.push(['P95', time(check.p95)])
  if (check.kind === 'timed' && showP99) entries.push(['P99', time(check.p99)])
  if (check.kind === 'ping') entries.push([texts.packetLoss, percentText(check.packetLoss, speech)])
  return entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)
}

function chart(check: ShownCheck, range: DashboardRange, speech: Speech): Html {
  const { texts } = speech
  const drawn = chartOf(check, range, speech, 160)
  const [first] = check.points
  if (drawn === null || first === undefined) return html`<p class="block muted">${texts.noData}</p>`
  const highest = Math.max(...check.points.map(({ p95 }) => p95 ?? 0))
  const measured = check.points.filter(({ availability }) => availability !== null)
  return html`<figure class="chart"><p class="muted">P95${highest === 0 ? null : `, 0 – ${durationInWords(highest)}`}</p>
${drawn}
<figcaption class="muted"><span>${speech.time(first.at)}</span><span>${texts.now}</span></figcaption></figure>
<details><summary>${texts.asTable}</summary><table class="parts"><thead><tr><th scope="col">${texts.time}</th><th scope="col">${texts.availability}</th><th scope="col">P95</th></tr></thead>
<tbody>${measured.map((point) => html`<tr><th scope="row">${speech.time(point.at)}</th><td>${percentText(point.availability, speech)}</td><td>${point.p95 === null ? '–' : durationInWords(point.p95)}</td></tr>\n`)}</tbody></table></details>`
}

function runItem({ at, location, tone, durationMs, url }: ShownRun, { texts, time }: Speech): Html {
  const label = texts.runStates[tone]
  return html`<li><span class="state ${tone}">${stateIcon(tone)}${url === null ? label : html`<a href="${url}">${label}</a>`}</span>
<span>${location}</span><span>${durationMs === null ? null : durationInWords(durationMs)}</span><span class="muted">${time(Date.parse(at))}</span></li>
`
}
