// Parts of status pages about maintenance.
import { dayMs } from '@vedette/contracts'
import { type Html, html } from '../../core/html.ts'
import { stateIcon } from '../../look/icons.ts'
import type { Speech } from '../texts/speech.ts'
import type { ShownService, StatusContent } from './content.ts'
import type { ShownMaintenance } from './maintenance.ts'
import { severityState } from './uptime.ts'

interface Context {
  speech: Speech
  base: string
  /** The address of a path of the page. */
  link(path: string): string
}

const shownDays = 14
/** The others, and further occurrences of the same windows, are folded. */
const shownEntries = 5

export function runningMaintenance(content: StatusContent, context: Context): Html | null {
  const running = content.maintenance.filter(({ phase }) => phase === 'running')
  if (running.length === 0) return null
  return html`<section class="card" aria-labelledby="running"><header><h2 id="running">${context.speech.texts.runningMaintenance}</h2></header>
${running.map((one) => entry(one, content.services, context))}</section>
`
}

export function plannedMaintenance(content: StatusContent, context: Context): Html | null {
  const { texts } = context.speech
  const planned = content.maintenance.filter(
    ({ phase, start }) => phase === 'planned' && start < content.at + shownDays * dayMs,
  )
  if (planned.length === 0) return null
  // A daily window must not hide the others.
  const next = new Map(planned.toReversed().map((one) => [one.window, one]))
  const first = planned.filter((one) => next.get(one.window) === one).slice(0, shownEntries)
  const more = planned.filter((one) => !first.includes(one))
  const render = (one: ShownMaintenance) => entry(one, content.services, context)
  return html`<section class="card" aria-labelledby="planned"><header><h2 id="planned">${texts.plannedMaintenance}</h2><a href="${context.base}/maintenance.ics">${texts.calendar}</a></header>
${first.map(render)}${more.length === 0 ? null : html`<details><summary>${texts.more(more.length)}</summary>\n${more.map(render)}</details>`}</section>
`
}

/** All about one occurrence. */
export function maintenanceDetails(one: ShownMaintenance, content: StatusContent, speech: Speech): Html {
  return html`<div class="block"><h1>${one.window.name}</h1>
<p class="state ${toneOf(one)}">${stateIcon(toneOf(one))}${speech.texts.maintenancePhases[one.phase]}</p>
<p class="muted">${speech.spanText(one.start, one.end)}</p>
${facts(one, content.services, speech)}${words(one)}</div>`
}

/** A line in the history. */
export function pastMaintenance(one: ShownMaintenance, { speech, link }: Context): Html {
  return html`<article class="update"><p><a href="${link(`/maintenance/${one.key}`)}">${one.window.name}</a></p>
${words(one)}<p class="muted">${speech.texts.maintenance} · ${speech.texts.maintenancePhases[one.phase]} · ${speech.spanText(one.start, one.end)}</p></article>
`
}

/** The names of the affected services; empty if the owner hides them. */
export function affectedNames(
  { window: { visibility, serviceIds } }: ShownMaintenance,
  services: readonly ShownService[],
): string[] {
  if (!visibility.showAffectedServices) return []
  return services.filter(({ id }) => serviceIds.includes(id)).map(({ name }) => name)
}

function entry(one: ShownMaintenance, services: readonly ShownService[], { speech, link }: Context): Html {
  return html`<article><h3><a href="${link(`/maintenance/${one.key}`)}">${one.window.name}</a></h3>
<p>${speech.spanText(one.start, one.end)}</p>
${facts(one, services, speech)}${words(one)}</article>
`
}

function facts(one: ShownMaintenance, services: readonly ShownService[], { texts }: Speech): Html {
  const names = affectedNames(one, services)
  const { severity } = one.window.visibility
  return html`${names.length === 0 ? null : html`<p>${texts.affected}: ${names.join(', ')}</p>\n`}${
    severity === null
      ? null
      : html`<p>${texts.expectedImpact}: ${texts.states[severityState(severity)]}</p>\n`
  }`
}

function words({ window: { description } }: ShownMaintenance): Html | null {
  return description ? html`<p class="words">${description}</p>\n` : null
}

function toneOf({ phase }: ShownMaintenance): 'passing' | 'maintenance' {
  return phase === 'past' ? 'passing' : 'maintenance'
}
