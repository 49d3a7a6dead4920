// Renders the components of a status page. The first level are cards; groups in them are `details`.
import { LRUCache } from 'lru-cache'
import { getOrInsert } from '../../core/get-or-insert.ts'
import { type Html, html } from '../../core/html.ts'
import { stateIcon } from '../../look/icons.ts'
import type { Speech } from '../texts/speech.ts'
import { isGroup, type ShownComponent, type ShownGroup, type ShownService } from './content.ts'
import { type Day, type PublicState, shownDays } from './uptime.ts'

export function renderComponents(components: readonly ShownComponent[], speech: Speech): Html[] {
  return cardsOf(components).map((card, index) =>
    'members' in card ? renderCard(card, index, speech) : renderServices(card.services, speech),
  )
}

type Card = ShownGroup | { services: ShownService[] }

/** Services without a group that follow each other share a card. */
function cardsOf(components: readonly ShownComponent[]): Card[] {
  const cards: Card[] = []
  for (const component of components) {
    const last = cards.at(-1)
    if (isGroup(component)) cards.push(component)
    else if (last !== undefined && 'services' in last) last.services.push(component)
    else cards.push({ services: [component] })
  }
  return cards
}

function renderCard(group: ShownGroup, index: number, speech: Speech): Html {
  const { name, uptime, isExpanded } = group
  const figure =
    uptime === null ? null : html`<span class="muted">${speech.texts.uptime(speech.percent(uptime))}</span>`
  const heading = html`<h2 id="card${index}">${name}</h2>`
  const content = isExpanded
    ? html`<header>${heading}${figure}</header>
${renderMembers(group, 3, speech)}`
    : renderDetails(group, heading, 3, speech)
  return html`<section class="card" aria-labelledby="card${index}">${content}</section>
`
}

function renderServices(services: readonly ShownService[], speech: Speech): Html {
  return html`<div class="card"><ul>
${services.map((service) => renderService(service, 2, speech))}</ul></div>
`
}

/** `level`: of the headings. */
function renderMembers({ description, members }: ShownGroup, level: number, speech: Speech): Html {
  return html`${aboutOf(description)}<ul>
${members.map((member) =>
  isGroup(member)
    ? html`<li>${renderDetails(member, html`<h${level}>${member.name}</h${level}>`, level + 1, speech)}</li>
`
    : renderService(member, level, speech),
)}</ul>`
}

/** A group with a problem inside is open. */
function renderDetails(group: ShownGroup, heading: Html, level: number, speech: Speech): Html {
  const isOpen = group.isExpanded || group.state !== 'passing'
  return html`<details class="group"${isOpen ? html` open` : null}><summary>${heading}${stateOf(group, speech)}</summary>
${renderMembers(group, level, speech)}</details>`
}

function renderService(service: ShownService, level: number, speech: Speech): Html {
  const { name, description, showsHistory } = service
  return html`<li><div class="line"><h${level}>${name}</h${level}>${stateOf(service, speech)}</div>
${aboutOf(description)}${showsHistory ? renderHistory(service, speech) : null}</li>
`
}

function stateOf({ state }: ShownComponent, { texts }: Speech): Html {
  return html`<span class="state ${state}">${stateIcon(state)}${texts.states[state]}</span>`
}

function aboutOf(description: string | null): Html | null {
  return description === null || description === '' ? null : html`<p class="muted words">${description}</p>\n`
}

function renderHistory({ history }: ShownService, speech: Speech): Html {
  const { texts } = speech
  const notable = history.days.filter((day) => day.state !== 'passing')
  const maintained = notable.filter((day) => day.state === 'maintenance').length
  const counts = [
    [texts.daysWithIncidents, notable.length - maintained],
    [texts.daysWithMaintenance, maintained],
  ] as const
  const summary = counts.flatMap(([words, count]) => (count === 0 ? [] : [`${words}: ${count}`])).join(' · ')
  const days =
    notable.length === 0
      ? html`<p class="muted">${texts.noIncidentIn90Days}</p>`
      : html`<details><summary>${summary}</summary><ul>${notable
          .toReversed()
          .map((day) => html`<li>${dayText(day, speech)}</li>`)}</ul></details>`
  return html`<div class="bars" aria-hidden="true">${history.days.map((day) => bar(day, speech))}</div>
<p class="scale muted"><span class="wide">${texts.daysAgo(shownDays)}</span><span class="narrow">${texts.daysAgo(shownDays / 2)}</span><span>${texts.uptime(speech.percent(history.uptime))}</span><span>${texts.today}</span></p>
${days}`
}

const barClasses = {
  passing: null,
  degraded: 'd',
  partial: 'p',
  failing: 'f',
  maintenance: 'm',
} satisfies Record<PublicState, string | null>

/** Most bars are the same for all services. By language and day. */
const plainBars = new Map<string, LRUCache<number, Html>>()

function plainBar(start: number, { language, day }: Speech): Html {
  const bars = getOrInsert(plainBars, language, () => new LRUCache<number, Html>({ max: 500 }))
  const known = bars.get(start)
  if (known !== undefined) return known
  const made = html`<span title="${day(start)}"></span>`
  bars.set(start, made)
  return made
}

function bar(day: Day, speech: Speech): Html {
  const name = barClasses[day.state]
  if (name === null) return plainBar(day.start, speech)
  return html`<span class="${name}" title="${dayText(day, speech)}"></span>`
}

function dayText({ start, state, downMs }: Day, { day, duration, texts }: Speech): string {
  const words = downMs === 0 ? texts.states[state] : texts.dayDown(texts.states[state], duration(downMs))
  return `${day(start)}: ${words}`
}
