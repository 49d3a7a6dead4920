// The addresses of a status page: the page, its incidents, its history and its feeds.
import { Uuid } from '@vedette/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findFirstIncidentTime, listPageIncidents } from '../../storage/pages/page-incidents.ts'
import { basePath, type PagesDeps, pageBase } from '../deps.ts'
import type { RenderedDocument } from '../document.ts'
import { KeptPage } from '../kept-page.ts'
import { PageCache, staleMs } from '../page-cache.ts'
import { isUnlocked, sendUnlockForm, unlock } from '../private-access.ts'
import { sendNoStatusPage } from '../subscribe.ts'
import { chooseSpeech } from '../texts/speech.ts'
import { themeOf } from '../theme.ts'
import { readStatusContent, type ShownIncident, type StatusContent, toShown } from './content.ts'
import { feedOf, isFeedKind } from './feeds.ts'
import { renderHistory, renderIncident, renderStatusPage, type View } from './render.ts'

type PageRequest = FastifyRequest<{
  Params: { slug: string; incidentId?: string; kind?: string }
  Querystring: Record<string, unknown>
}>

export function serveStatusPages(app: FastifyInstance, deps: PagesDeps): void {
  const { store, clock } = deps
  const cache = new PageCache<KeptPage<StatusContent> | null>(clock)

  async function read(slug: string): Promise<KeptPage<StatusContent> | null> {
    const { value } = await cache.get(slug.toLowerCase(), async () => {
      const content = await readStatusContent(store.db, slug, clock.now())
      return content && new KeptPage(content)
    })
    return value
  }

  function viewOf(request: PageRequest, content: StatusContent): View {
    return {
      speech: chooseSpeech(request.query.lang, request.headers['accept-language']),
      theme: themeOf(request.query.theme),
      ...pageBase(request, deps, `/s/${content.page.url}`),
      isStale: clock.now() - content.at > staleMs,
    }
  }

  type Render = (content: StatusContent, view: View, request: PageRequest) => Promise<RenderedDocument | null>

  /** `render` returns null if the page has nothing at this address. */
  const serve = (name: string, render: Render) => async (request: PageRequest, reply: FastifyReply) => {
    const kept = await read(request.params.slug)
    if (kept === null) return sendNoStatusPage(reply)
    const { content } = kept
    const view = viewOf(request, content)
    if (content.lock !== null && !isUnlocked(request, content.lock, deps))
      return sendUnlockForm(reply, content.lock, view.base)
    const detail = request.params.incidentId ?? request.params.kind ?? monthOf(request.query.month)
    const key = [name, detail, view.speech.language, view.theme, view.isStale, view.url].join(' ')
    const sent = await kept.send(request, reply, { key, isPrivate: content.lock !== null }, () =>
      render(content, view, request),
    )
    return sent ?? sendNoStatusPage(reply)
  }

  const page = serve('page', async (content, view) => renderStatusPage(content, view))
  const incident = serve('incident', async (content, view, { params }) => {
    const shown = await findShown(deps, content, params.incidentId ?? '')
    return shown === null ? null : renderIncident(content, shown, view)
  })
  const history = serve('history', async (content, view, { query }) => {
    const month = Date.parse(
      `${monthOf(query.month) ?? new Date(content.at).toISOString().slice(0, 7)}-01T00:00:00Z`,
    )
    const [from, to] = [month, addMonths(month, 1)]
    const rows = await listPageIncidents(store.db, content.page.account_id, content.page.id, {
      from,
      to: content.at,
    })
    const incidents = rows.map(toShown).filter(({ start }) => start >= from && start < to)
    const first = await findFirstIncidentTime(store.db, content.page.account_id, content.page.id)
    const neighbors = {
      older: first === null || first >= from ? null : monthText(addMonths(month, -1)),
      newer: to > content.at ? null : monthText(to),
    }
    return renderHistory(content, incidents, month, neighbors, view)
  })
  const feed = serve('feed', async (content, view, { params }) =>
    isFeedKind(params.kind) ? feedOf(params.kind, content, view) : null,
  )

  app.get('/s/:slug', page)
  app.post('/s/:slug/unlock', async (request: PageRequest, reply: FastifyReply) => {
    const kept = await read(request.params.slug)
    if (kept === null || kept.content.lock === null) return sendNoStatusPage(reply)
    return unlock(request, reply, kept.content.lock, viewOf(request, kept.content).base, deps)
  })
  app.get('/s/:slug/incidents/:incidentId', incident)
  app.get('/s/:slug/history', history)
  app.get('/s/:slug/feed.:kind', feed)
  // Addresses of earlier releases, which mails contain.
  app.get('/status-pages/:slug', async (request: PageRequest, reply: FastifyReply) =>
    reply.redirect(`${basePath(deps)}/s/${encodeURIComponent(request.params.slug)}`, 308),
  )
}

/** Incidents of any age have a permanent address. */
async function findShown(
  { store }: PagesDeps,
  content: StatusContent,
  id: string,
): Promise<ShownIncident | null> {
  const known = content.incidents.find((incident) => incident.id === id)
  if (known !== undefined) return known
  if (!Uuid.safeParse(id).success) return null
  const range = { from: 0, to: content.at, id }
  const [row] = await listPageIncidents(store.db, content.page.account_id, content.page.id, range)
  return row === undefined ? null : toShown(row)
}

/** Years from 2000 to 2099. */
function monthOf(asked: unknown): string | null {
  return typeof asked === 'string' && /^20\d\d-(0[1-9]|1[0-2])$/.test(asked) ? asked : null
}

function addMonths(month: number, count: number): number {
  const date = new Date(month)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count)
}

function monthText(month: number): string {
  return new Date(month).toISOString().slice(0, 7)
}
