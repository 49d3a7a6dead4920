// The addresses of a dashboard.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../core/html.ts'
import { type PagesDeps, pageBase } from '../deps.ts'
import { KeptPage } from '../kept-page.ts'
import { sendPage } from '../page.ts'
import { PageCache, staleMs } from '../page-cache.ts'
import { openImages } from '../page-images.ts'
import { isUnlocked, sendUnlockForm, unlock } from '../private-access.ts'
import { speechFor } from '../texts/speech.ts'
import { themeOf } from '../theme.ts'
import {
  type DashboardContent,
  type DashboardQuery,
  type DashboardRange,
  dashboardRanges,
  readDashboardContent,
} from './content.ts'
import type { DashboardView } from './layout.ts'
import { renderDashboard, renderDashboardIncidents } from './render.ts'
import { renderDashboardCheck } from './render-check.ts'

type DashboardRequest = FastifyRequest<{
  Params: { name: string; checkId?: string; image?: string }
  Querystring: Record<string, unknown>
}>

const maxPage = 10_000

export function serveDashboards(app: FastifyInstance, deps: PagesDeps): void {
  const { clock } = deps
  const cache = new PageCache<KeptPage<DashboardContent>>(clock)
  const sendImage = openImages(deps)

  async function read(query: DashboardQuery): Promise<KeptPage<DashboardContent> | null> {
    const { name, range, page, checkId } = query
    const compute = async () => {
      const content = await readDashboardContent(deps, query)
      return content && new KeptPage(content)
    }
    // A page after the last shows the last, so any number would be one; likewise any id of a check.
    const { value } = await cache.get(
      `${name} ${range} ${page} ${checkId}`,
      compute,
      (kept) => kept?.content.page === page && (checkId === null || kept.content.checks.length > 0),
    )
    return value
  }

  function baseOf(request: DashboardRequest, { dashboard }: DashboardContent): string {
    return pageBase(request, deps, `/d/${dashboard.custom_url ?? dashboard.dashboard_id}`).base
  }

  const serve =
    (render: typeof renderDashboardCheck, hasTab: (content: DashboardContent) => boolean) =>
    async (request: DashboardRequest, reply: FastifyReply) => {
      const { query } = request
      const kept = await read(queryOf(request))
      if (kept === null) return sendNoDashboard(reply)
      const { lock, at } = kept.content
      const base = baseOf(request, kept.content)
      if (lock !== null && !isUnlocked(request, lock, deps)) return sendUnlockForm(request, reply, lock, base)
      if (!hasTab(kept.content)) return sendNoDashboard(reply)
      const view: DashboardView = {
        speech: speechFor(request),
        theme: themeOf(query.theme) ?? 'auto',
        base,
        isWall: query.wall !== undefined,
        isStale: clock.now() - at > staleMs,
      }
      const { speech, theme, isWall, isStale } = view
      const key = [render.name, speech.language, theme, isWall, isStale, base].join(' ')
      const options = { key, isPrivate: lock !== null }
      const isSent = await kept.send(request, reply, options, () => render(kept.content, view))
      return isSent ? reply : sendNoDashboard(reply)
    }

  app.get(
    '/d/:name',
    serve(renderDashboard, () => true),
  )
  app.get(
    '/d/:name/incidents',
    serve(renderDashboardIncidents, ({ dashboard }) => dashboard.settings.enableIncidents),
  )
  app.get(
    '/d/:name/checks/:checkId',
    serve(renderDashboardCheck, ({ checks }) => checks.length > 0),
  )
  app.get('/d/:name/images/:image', async (request: DashboardRequest, reply: FastifyReply) => {
    const kept = await read(queryOf(request))
    if (kept === null) return sendNoDashboard(reply)
    const { dashboard, lock, images } = kept.content
    if (lock !== null && !isUnlocked(request, lock, deps))
      return sendUnlockForm(request, reply, lock, baseOf(request, kept.content))
    const options = {
      accountId: dashboard.account_id,
      images,
      name: request.params.image ?? '',
      isPrivate: lock !== null,
    }
    return (await sendImage(request, reply, options)) ? reply : sendNoDashboard(reply)
  })
  app.post('/d/:name/unlock', async (request: DashboardRequest, reply: FastifyReply) => {
    const kept = await read(queryOf(request))
    if (kept === null || kept.content.lock === null) return sendNoDashboard(reply)
    return unlock(request, reply, kept.content.lock, baseOf(request, kept.content), deps)
  })
}

function queryOf({ params, query }: DashboardRequest): DashboardQuery {
  const { name, checkId = null } = params
  return {
    name: name.toLowerCase(),
    range: rangeOf(query.range),
    page: pageOf(query.page),
    checkId: checkId?.toLowerCase() ?? null,
  }
}

function rangeOf(asked: unknown): DashboardRange {
  return typeof asked === 'string' && Object.hasOwn(dashboardRanges, asked)
    ? (asked as DashboardRange)
    : '24h'
}

function pageOf(asked: unknown): number {
  const page = Number(asked ?? 1)
  return Number.isInteger(page) && page >= 1 && page <= maxPage ? page : 1
}

function sendNoDashboard(reply: FastifyReply): FastifyReply {
  const body = html`<p>The address is wrong, or the dashboard was deleted.</p>`
  return sendPage(reply, { status: 404, title: 'This dashboard doesn’t exist', body })
}
