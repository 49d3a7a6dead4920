// The addresses of a dashboard.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../../core/html.ts'
import { type PagesDeps, pageBase } from '../deps.ts'
import { KeptPage } from '../kept-page.ts'
import { sendPage } from '../page.ts'
import { PageCache, staleMs } from '../page-cache.ts'
import { chooseSpeech } from '../texts/speech.ts'
import { themeOf } from '../theme.ts'
import {
  type DashboardContent,
  type DashboardRange,
  dashboardRanges,
  readDashboardContent,
} from './content.ts'
import { type DashboardView, renderDashboard, renderDashboardIncidents } from './render.ts'

type DashboardRequest = FastifyRequest<{ Params: { name: string }; Querystring: Record<string, unknown> }>

const maxPage = 10_000

export function serveDashboards(app: FastifyInstance, deps: PagesDeps): void {
  const { clock } = deps
  const cache = new PageCache<KeptPage<DashboardContent> | null>(clock)

  const serve =
    (render: typeof renderDashboard, hasTab: (content: DashboardContent) => boolean) =>
    async (request: DashboardRequest, reply: FastifyReply) => {
      const { params, query, headers } = request
      const name = params.name.toLowerCase()
      const [range, page] = [rangeOf(query.range), pageOf(query.page)]
      const { value: kept } = await cache.get(`${name} ${range} ${page}`, async () => {
        const content = await readDashboardContent(deps, { name, range, page })
        return content && new KeptPage(content)
      })
      if (kept === null || !hasTab(kept.content)) return sendNoDashboard(reply)
      const { dashboard, at } = kept.content
      const view: DashboardView = {
        speech: chooseSpeech(query.lang, headers['accept-language']),
        theme: themeOf(query.theme) ?? 'auto',
        base: pageBase(request, deps, `/d/${dashboard.custom_url ?? dashboard.dashboard_id}`).base,
        isWall: query.wall !== undefined,
        isStale: clock.now() - at > staleMs,
      }
      const key = [render.name, view.speech.language, view.theme, view.isWall, view.isStale, view.base].join(
        ' ',
      )
      return (
        (await kept.send(request, reply, key, () => render(kept.content, view))) ?? sendNoDashboard(reply)
      )
    }

  app.get(
    '/d/:name',
    serve(renderDashboard, () => true),
  )
  app.get(
    '/d/:name/incidents',
    serve(renderDashboardIncidents, ({ dashboard }) => dashboard.settings.enableIncidents),
  )
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
  const body = html`<p>The address is wrong, or the dashboard is private.</p>`
  return sendPage(reply, { status: 404, title: 'This dashboard doesn’t exist', body })
}
