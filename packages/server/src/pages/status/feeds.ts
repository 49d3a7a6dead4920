// The incidents and the maintenance of a status page as RSS 2.0, Atom and JSON Feed 1.1.
import { dayMs, keysOf } from '@vedette/contracts'
import { escapeMarkup } from '@vedette/safeguards/markup'
import type { RenderedDocument } from '../document.ts'
import type { ShownIncident, StatusContent } from './content.ts'
import { listMaintenance, type ShownMaintenance } from './maintenance.ts'
import { affectedNames } from './maintenance-html.ts'
import { shownDays } from './uptime.ts'
import type { View } from './view.ts'

const shownEntries = 50
/** How long before its start maintenance appears. */
const announcedDays = 14

const feedTypes = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
} as const

type FeedKind = keyof typeof feedTypes
export const feedKinds = keysOf(feedTypes)

export function isFeedKind(kind: unknown): kind is FeedKind {
  return typeof kind === 'string' && Object.hasOwn(feedTypes, kind)
}

interface Entry {
  id: string
  url: string
  title: string
  text: string
  began: Date
  updated: Date
}

export function feedOf(kind: FeedKind, content: StatusContent, view: View): RenderedDocument {
  const { at, windows } = content
  const range = { from: at - shownDays * dayMs, to: at + announcedDays * dayMs }
  const entries = [
    ...content.incidents.map((incident) => entryOf(incident, view)),
    ...listMaintenance(windows, range, at).map((one) => maintenanceEntry(one, content, view)),
  ]
    .sort((a, b) => b.began.getTime() - a.began.getTime())
    .slice(0, shownEntries)
  const text = writers[kind](content, entries, view)
  return { text, headers: { 'content-type': feedTypes[kind], 'x-content-type-options': 'nosniff' } }
}

function entryOf(incident: ShownIncident, { url, speech }: View): Entry {
  const { texts } = speech
  const { addedAt, postmortem, postmortemAt, updates, start } = incident
  const paragraphs = [
    ...(addedAt === null ? [] : [texts.addedLater(speech.day(addedAt))]),
    ...(postmortem === null ? [] : [`${texts.postmortem}: ${postmortem}`]),
    ...updates.map(({ at, status, description }) => {
      const words = texts.updateStatuses[status] ?? status
      return `${words} (${speech.timeText(Date.parse(at))}): ${description}`
    }),
  ]
  const changes = [updates[0]?.at, postmortemAt].flatMap((at) => (at == null ? [] : [Date.parse(at)]))
  return {
    id: `urn:uuid:${incident.id}`,
    url: `${url}/incidents/${incident.id}`,
    title: incident.name,
    text: paragraphs.join('\n\n'),
    began: new Date(start),
    updated: new Date(Math.max(start, addedAt ?? 0, ...changes)),
  }
}

/** Dated by its announcement, so that readers notice it before it starts. */
function maintenanceEntry(one: ShownMaintenance, content: StatusContent, { url, speech }: View): Entry {
  const { key, window, start, end, phase } = one
  const { texts } = speech
  const names = affectedNames(one, content.services)
  const text = [
    `${texts.maintenancePhases[phase]}: ${speech.spanText(start, end)}`,
    ...(names.length > 0 ? [`${texts.affected}: ${names.join(', ')}`] : []),
    ...(window.description ? [window.description] : []),
  ].join('\n\n')
  const announced = Math.min(start, Math.max(Date.parse(window.changedAt), start - announcedDays * dayMs))
  const updated = { planned: announced, running: start, past: end }[phase]
  return {
    id: `urn:x-vedette:maintenance:${key}`,
    url: `${url}/maintenance/${key}`,
    title: `${texts.maintenance}: ${window.name}`,
    text,
    began: new Date(announced),
    updated: new Date(updated),
  }
}

type Writer = (content: StatusContent, entries: Entry[], view: View) => string

/** XML allows fewer characters than PostgreSQL stores. */
const xml = (text: string) =>
  escapeMarkup(text.toWellFormed().replace(/[^\t\n\r\x20-\ufffd\u{10000}-\u{10ffff}]/gu, ''))
const declaration = '<?xml version="1.0" encoding="utf-8"?>\n'

const writers: Record<FeedKind, Writer> = {
  rss: (
    { page },
    entries,
    { url, speech },
  ) => `${declaration}<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${xml(page.name)}</title>
<link>${xml(url)}</link>
<description>${xml(page.settings.description ?? page.name)}</description>
<language>${speech.language}</language>
<atom:link href="${xml(`${url}/feed.rss`)}" rel="self" type="application/rss+xml"/>
${entries.map(rssItem).join('')}</channel>
</rss>
`,
  atom: ({ page }, entries, { url, speech }) => {
    const times = entries.map(({ updated }) => updated.getTime())
    const updated = new Date(Math.max(Date.parse(page.created_at), ...times))
    return `${declaration}<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${speech.language}">
<id>urn:uuid:${page.id}</id>
<title>${xml(page.name)}</title>
<updated>${updated.toISOString()}</updated>
<author><name>${xml(page.name)}</name></author>
<link href="${xml(url)}"/>
<link rel="self" href="${xml(`${url}/feed.atom`)}"/>
${entries.map(atomEntry).join('')}</feed>
`
  },
  json: ({ page }, entries, { url, speech }) =>
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: page.name,
      home_page_url: url,
      feed_url: `${url}/feed.json`,
      ...(page.settings.description ? { description: page.settings.description } : {}),
      language: speech.language,
      items: entries.map(({ id, url, title, text, began, updated }) => ({
        id,
        url,
        title,
        content_text: text,
        date_published: began.toISOString(),
        date_modified: updated.toISOString(),
      })),
    }),
}

function rssItem({ id, url, title, text, began }: Entry): string {
  return `<item>
<title>${xml(title)}</title>
<link>${xml(url)}</link>
<guid isPermaLink="false">${id}</guid>
<pubDate>${began.toUTCString()}</pubDate>
<description>${xml(text)}</description>
</item>
`
}

function atomEntry({ id, url, title, text, began, updated }: Entry): string {
  return `<entry>
<id>${id}</id>
<title>${xml(title)}</title>
<link href="${xml(url)}"/>
<published>${began.toISOString()}</published>
<updated>${updated.toISOString()}</updated>
<content type="text">${xml(text)}</content>
</entry>
`
}
