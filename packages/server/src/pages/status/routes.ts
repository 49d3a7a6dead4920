// The addresses of a status page: the page, its incidents and maintenance, its history and its feeds. `?at=` shows it as it was at
// a time.
import { minuteMs, Uuid } from '@vedette/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressBucket } from '../../core/address-bucket.ts'
import { html } from '../../core/html.ts'
import { listPageIncidents } from '../../storage/pages/page-incidents.ts'
import { basePath, type PagesDeps, pageBase } from '../deps.ts'
import type { RenderedDocument } from '../document.ts'
import { KeptPage } from '../kept-page.ts'
import { limit } from '../limit.ts'
import { sendPage } from '../page.ts'
import { PageCache, staleMs } from '../page-cache.ts'
import { openImages } from '../page-images.ts'
import { isUnlocked, sendUnlockForm, unlock } from '../private-access.ts'
import { sendNoStatusPage } from '../subscriptions/subscribe.ts'
import { speechFor } from '../texts/speech.ts'
import { themeOf } from '../theme.ts'
import { badgeLook, renderStatusBadge } from './badges.ts'
import { renderBannerPicture, renderBannerScript, renderSummary } from './banner.ts'
import { calendarOf } from './calendar.ts'
import { readStatusContent, type ShownIncident, type StatusContent, toShown } from './content.ts'
import { feedOf, isFeedKind } from './feeds.ts'
import { monthOf, readHistory } from './history.ts'
import { findMaintenance } from './maintenance.ts'
import { renderHistory, renderIncident, renderMaintenance, renderStatusPage } from './render.ts'
import type { View } from './view.ts'

type PageRequest = FastifyRequest<{
  Params: {
    slug: string
    incidentId?: string
    maintenanceKey?: string
    kind?: string
    month?: string
    image?: string
    serviceId?: string
  }
  Querystring: Record<string, unknown>
}>

/** Each is computed for one visitor. */
const pastPages = { limit: 30, seconds: 60 }

export function serveStatusPages(app: FastifyInstance, deps: PagesDeps): void {
  const { store, clock } = deps
  const cache = new PageCache<KeptPage<StatusContent>>(clock)
  const sendImage = openImages(deps)

  async function read(slug: string): Promise<KeptPage<StatusContent> | null> {
    const { value } = await cache.get(slug.toLowerCase(), async () => {
      const content = await readStatusContent(store.db, slug, clock.now())
      return content && new KeptPage(content)
    })
    return value
  }

  function viewOf(request: PageRequest, content: StatusContent, past: Date | null = null): View {
    return {
      speech: speechFor(request),
      theme: themeOf(request.query.theme),
      ...pageBase(request, deps, `/s/${content.page.url}`),
      isStale: past === null && clock.now() - content.at > staleMs,
      past,
      isStatic: false,
    }
  }

  type Render = (content: StatusContent, view: View, request: PageRequest) => Promise<RenderedDocument | null>

  /** `render` returns null if the page has nothing at this address. `detailOf`: what it depends on besides the view. */
  const serve =
    (name: string, render: Render, detailOf = pageDetail) =>
    async (request: PageRequest, reply: FastifyReply) => {
      const kept = await read(request.params.slug)
      if (kept === null) return sendNoStatusPage(request, reply)
      const { content } = kept
      const view = viewOf(request, content)
      if (content.lock !== null && !isUnlocked(request, content.lock, deps))
        return sendUnlockForm(request, reply, content.lock, view.base)
      if (request.query.at !== undefined) return sendPast(request, reply, content, render)
      const key = [name, detailOf(request), view.speech.language, view.theme, view.isStale, view.url].join(
        ' ',
      )
      const isSent = await kept.send(request, reply, { key, isPrivate: content.lock !== null }, () =>
        render(content, view, request),
      )
      return isSent ? reply : sendNoStatusPage(request, reply)
    }

  /** Nothing from before the page was public: nobody could see it then. */
  async function sendPast(request: PageRequest, reply: FastifyReply, today: StatusContent, render: Render) {
    const reason = 'Too many pages of the past were opened from your address.'
    await limit(deps, `past:${addressBucket(request)}`, pastPages, reason)
    const public_since = today.lock === null ? today.page.public_since : null
    const at = instantOf(request.query.at)
    if (at === null || public_since === null || at < Date.parse(public_since) || at > clock.now())
      return sendNoTime(reply, public_since)
    // By its id: meanwhile its name may belong to another page, or the page may have become private.
    const content = await readStatusContent(store.db, `~${today.page.id}`, at, true)
    if (content === null || content.lock !== null) return sendNoStatusPage(request, reply)
    const view = viewOf(request, content, new Date(at))
    const options = { key: 'past', isPrivate: true }
    const isSent = await new KeptPage(content).send(request, reply, options, () =>
      render(content, view, request),
    )
    return isSent ? reply : sendNoStatusPage(request, reply)
  }

  const page = serve('page', async (content, view) => renderStatusPage(content, view))
  const incident = serve('incident', async (content, view, { params }) => {
    const shown = await findShown(deps, content, params.incidentId ?? '', view.past)
    return shown === null ? null : renderIncident(content, shown, view)
  })
  const maintenance = serve('maintenance', async (content, view, { params }) => {
    const shown = findMaintenance(content.windows, params.maintenanceKey ?? '', content.at)
    return shown === null ? null : renderMaintenance(content, shown, view)
  })
  const history = serve('history', async (content, view, { params }) => {
    const month = params.month === undefined ? content.at : monthOf(params.month)
    if (month === null) return null
    const history = await readHistory(store.db, content, month, view.past !== null)
    return renderHistory(content, history, view)
  })
  const feed = serve('feed', async (content, view, { params }) =>
    isFeedKind(params.kind) ? feedOf(params.kind, content, view) : null,
  )

  async function image(request: PageRequest, reply: FastifyReply): Promise<FastifyReply> {
    const kept = await read(request.params.slug)
    if (kept === null) return sendNoStatusPage(request, reply)
    const { page, lock, images } = kept.content
    if (lock !== null && !isUnlocked(request, lock, deps))
      return sendUnlockForm(request, reply, lock, viewOf(request, kept.content).base)
    const options = {
      accountId: page.account_id,
      images,
      name: request.params.image ?? '',
      isPrivate: lock !== null,
    }
    return (await sendImage(request, reply, options)) ? reply : sendNoStatusPage(request, reply)
  }
  const badge = serve(
    'badge',
    async (content, view, { params, query }) =>
      renderStatusBadge(content, view, params.serviceId, badgeLook(query)),
    ({ params, query }) => [params.serviceId ?? '', ...Object.values(badgeLook(query))].join(' '),
  )
  const calendar = serve('calendar', async (content, view) => calendarOf(content, view))

  app.get('/s/:slug', page)
  app.get('/s/:slug/images/:image', image)
  app.post('/s/:slug/unlock', async (request: PageRequest, reply: FastifyReply) => {
    const kept = await read(request.params.slug)
    if (kept === null || kept.content.lock === null) return sendNoStatusPage(request, reply)
    return unlock(request, reply, kept.content.lock, viewOf(request, kept.content).base, deps)
  })
  app.get('/s/:slug/incidents/:incidentId', incident)
  app.get('/s/:slug/maintenance/:maintenanceKey', maintenance)
  app.get('/s/:slug/maintenance.ics', calendar)
  app.get('/s/:slug/history', history)
  app.get('/s/:slug/history/:month', history)
  app.get('/s/:slug/feed.:kind', feed)
  app.get(
    '/s/:slug/summary.json',
    serve('summary', async (content, view) => renderSummary(content, view)),
  )
  app.get(
    '/s/:slug/banner.js',
    serve('script', async () => renderBannerScript()),
  )
  app.get(
    '/s/:slug/banner.svg',
    serve('banner', async (content, view) => renderBannerPicture(content, view)),
  )
  app.get('/s/:slug/badge.svg', badge)
  app.get('/s/:slug/services/:serviceId/badge.svg', badge)
  // Addresses of earlier releases, which mails contain. Ids and `new` are screens of the app.
  app.get('/status-pages/:slug', async (request: PageRequest, reply: FastifyReply) => {
    const { slug } = request.params
    if (slug === 'new' || Uuid.safeParse(slug).success) return deps.webApp.sendUnknownPath(reply)
    return reply.redirect(`${basePath(deps)}/s/${encodeURIComponent(slug)}`, 308)
  })
}

function pageDetail({ params: { incidentId, maintenanceKey, kind, month } }: PageRequest): string {
  return incidentId ?? maintenanceKey ?? kind ?? month ?? ''
}

/** Incidents of any age have a permanent address. */
async function findShown(
  { store }: PagesDeps,
  content: StatusContent,
  id: string,
  past: Date | null,
): Promise<ShownIncident | null> {
  const known = content.incidents.find((incident) => incident.id === id)
  if (known !== undefined) return known
  if (!Uuid.safeParse(id).success) return null
  const range = { from: 0, to: content.at, id, ...(past === null ? {} : { writtenBy: content.at }) }
  const serviceIds = content.services.map((service) => service.id)
  const [row] = await listPageIncidents(store.db, content.page.account_id, serviceIds, range)
  return row === undefined ? null : toShown(row)
}

/** Rounded down to the minute. A time without a zone is in UTC, as browsers send it. Null: not a time. */
function instantOf(asked: unknown): number | null {
  if (typeof asked !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(asked)) return null
  const at = Date.parse(/Z|[+-]\d\d:?\d\d$/i.test(asked) ? asked : `${asked}Z`)
  return Number.isNaN(at) ? null : Math.floor(at / minuteMs) * minuteMs
}

function sendNoTime(reply: FastifyReply, publicSince: string | null): FastifyReply {
  const since = publicSince === null ? null : new Date(publicSince).toISOString()
  const body = html`<p>${
    since === null
      ? 'This page is private, and has no public past.'
      : `Choose a time such as ${since.slice(0, 16)}Z, not before it and not in the future: the page is public since then.`
  }</p>`
  return sendPage(reply, { status: 400, title: 'The page can’t be shown at this time', body })
}
