// Status pages as files, which a plain web server can serve: no forms, one language. Links are relative, so that the files can
// be anywhere.
import type { Db } from '../../storage/core/db.ts'
import { findImageBytes } from '../../storage/pages/page-images.ts'
import { listStatusPageNames } from '../../storage/pages/status-pages.ts'
import type { RenderedDocument } from '../document.ts'
import { imageName } from '../page-images.ts'
import { calendarOf } from '../status/calendar.ts'
import { readStatusContent, type StatusContent } from '../status/content.ts'
import { feedKinds, feedOf } from '../status/feeds.ts'
import { type MonthHistory, monthOf, readHistory } from '../status/history.ts'
import { renderHistory, renderIncident, renderMaintenance, renderStatusPage } from '../status/render.ts'
import type { View } from '../status/view.ts'
import { chooseSpeech } from '../texts/speech.ts'

export interface SiteFile {
  /** Relative to the site. */
  path: string
  text: string | Buffer
}

export interface SiteOptions {
  /** Where the site will be, for feeds: they contain whole addresses. */
  url: string
  includePrivate: boolean
}

/** Bounds the files of a page with a long past. */
const maxMonths = 24

export async function* siteFiles(db: Db, options: SiteOptions, now: number): AsyncGenerator<SiteFile> {
  for (const name of await listStatusPageNames(db, options.includePrivate)) {
    const content = await readStatusContent(db, name, now)
    // Deleted or made private a moment ago.
    if (content === null || (content.lock !== null && !options.includePrivate)) continue
    yield* pageFiles(db, content, options)
  }
}

async function* pageFiles(db: Db, content: StatusContent, { url }: SiteOptions): AsyncGenerator<SiteFile> {
  const name = content.page.url.toLowerCase()
  const viewAt = (base: string): View => ({
    ...{ speech: chooseSpeech('en', undefined), theme: null, isStale: false, past: null, isStatic: true },
    base,
    url: `${url}/${name}`,
  })
  const file = (path: string, { text }: RenderedDocument): SiteFile => ({ path: `${name}/${path}`, text })
  yield file('index.html', renderStatusPage(content, viewAt('.')))
  for (const image of new Set(content.images.values())) {
    const found = await findImageBytes(db, content.page.account_id, image.hash)
    // Replaced by another a moment ago.
    if (found === null) continue
    yield { path: `${name}/images/${imageName(image)}`, text: found.bytes }
  }
  for (const kind of feedKinds) yield file(`feed.${kind}`, feedOf(kind, content, viewAt('.')))
  yield file('maintenance.ics', calendarOf(content, viewAt('.')))
  const maintenance = new Map(content.maintenance.map((one) => [one.key, one]))
  const incidents = new Map(content.incidents.map((incident) => [incident.id, incident]))
  let month: number | null = content.at
  for (let count = 0; month !== null && count < maxMonths; count++) {
    const history: MonthHistory = await readHistory(db, content, month, false)
    for (const incident of history.incidents) incidents.set(incident.id, incident)
    for (const one of history.maintenance) maintenance.set(one.key, one)
    const text = new Date(history.month).toISOString().slice(0, 7)
    if (count === 0) yield file('history/index.html', renderHistory(content, history, viewAt('..')))
    yield file(`history/${text}/index.html`, renderHistory(content, history, viewAt('../..')))
    month = history.neighbors.older === null ? null : monthOf(history.neighbors.older)
  }
  for (const incident of incidents.values()) {
    yield file(`incidents/${incident.id}/index.html`, renderIncident(content, incident, viewAt('../..')))
  }
  for (const one of maintenance.values()) {
    yield file(`maintenance/${one.key}/index.html`, renderMaintenance(content, one, viewAt('../..')))
  }
}
