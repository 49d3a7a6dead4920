// Pages as they would be: the app shows them in a frame beside their editor. Only these may be framed, and only by the same origin.
import { type PagePreviewDraft, Uuid } from '@vedette/contracts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from '../core/html.ts'
import { dashboardColumns, findDashboard } from '../storage/pages/dashboards.ts'
import { findPagePreview, type PagePreviewRow } from '../storage/pages/page-previews.ts'
import type { StatusPageComponentRow } from '../storage/pages/status-page-components.ts'
import { listServicesByIds } from '../storage/pages/status-page-services.ts'
import { findStatusPage, type StatusPageRow, statusPageColumns } from '../storage/pages/status-pages.ts'
import { type DashboardContent, readDashboardContentOf } from './dashboard/content.ts'
import { renderDashboard } from './dashboard/render.ts'
import { basePath, type PagesDeps } from './deps.ts'
import type { RenderedDocument } from './document.ts'
import { sendPage } from './page.ts'
import { openImages } from './page-images.ts'
import { readContentOf, type StatusContent } from './status/content.ts'
import { renderStatusPage } from './status/render.ts'
import { speechFor } from './texts/speech.ts'
import { themeOf } from './theme.ts'

type PreviewRequest = FastifyRequest<{
  Params: { id: string; image?: string }
  Querystring: Record<string, unknown>
}>

type DraftOf<K extends PagePreviewDraft['kind']> = Extract<PagePreviewDraft, { kind: K }>

export function servePreviews(app: FastifyInstance, deps: PagesDeps): void {
  const { store, clock } = deps
  const sendImage = openImages(deps)

  async function find(id: string): Promise<PagePreviewRow | null> {
    return Uuid.safeParse(id).success ? findPagePreview(store.db, id, clock.now()) : null
  }

  async function render(request: PreviewRequest, row: PagePreviewRow): Promise<RenderedDocument> {
    const view = {
      ...{ speech: speechFor(request), base: `${basePath(deps)}/preview/${row.id}`, isStale: false },
      isPreview: true,
    }
    const theme = themeOf(request.query.theme)
    if (row.draft.kind === 'dashboard') {
      const content = await readDashboardDraft(deps, row.account_id, row.draft)
      return renderDashboard(content, { ...view, theme: theme ?? 'auto', isWall: false })
    }
    const content = await readStatusDraft(deps, row, row.draft)
    return renderStatusPage(content, { ...view, theme, url: view.base, past: null, isStatic: false })
  }

  app.get('/preview/:id', async (request: PreviewRequest, reply: FastifyReply) => {
    const row = await find(request.params.id)
    if (row === null) return sendOver(reply)
    const { text, headers } = await render(request, row)
    return reply.headers(headers).header('cache-control', 'private, no-store').send(text)
  })

  app.get('/preview/:id/images/:image', async (request: PreviewRequest, reply: FastifyReply) => {
    const row = await find(request.params.id)
    if (row === null) return sendOver(reply)
    const { images } =
      row.draft.kind === 'dashboard'
        ? await readDashboardDraft(deps, row.account_id, row.draft)
        : await readStatusDraft(deps, row, row.draft)
    const image = { accountId: row.account_id, images, name: request.params.image ?? '', isPrivate: true }
    return (await sendImage(request, reply, image)) ? reply : sendOver(reply)
  })
}

async function readStatusDraft(
  { store, clock }: PagesDeps,
  { id, account_id }: PagePreviewRow,
  { statusPageId, page, components }: DraftOf<'status-page'>,
): Promise<StatusContent> {
  const stored = statusPageId === null ? null : await findStatusPage(store.db, account_id, statusPageId)
  const now = new Date(clock.now()).toISOString()
  const { settings, ...columns } = statusPageColumns(page)
  const row: StatusPageRow = {
    ...(stored ?? { id, account_id, public_since: null, version: 3, created_at: now, updated_at: null }),
    ...columns,
    settings,
    is_private: page.isPrivate,
  }
  const serviceIds = components.flatMap(({ serviceId }) => serviceId ?? [])
  const services = await listServicesByIds(store.db, account_id, serviceIds)
  const serviceOf = new Map(services.map((service) => [service.id, service]))
  const rows = components.map(
    (component, index): StatusPageComponentRow => ({
      ...{ id: component.id, account_id, status_page_id: row.id, parent_id: component.parentId },
      ...{ name: component.name, description: component.description, hidden: component.hidden },
      ...{ display_order: index, configuration: component.configuration, owns_service: false },
      ...{ created_at: now, updated_at: null },
      // A service that is new has no incidents under any id.
      service_id: component.type === 'GROUP' ? null : (component.serviceId ?? component.id),
      service: serviceOf.get(component.serviceId ?? '') ?? null,
    }),
  )
  return readContentOf(store.db, row, rows, clock.now())
}

async function readDashboardDraft(
  deps: PagesDeps,
  accountId: string,
  { dashboardId, dashboard }: DraftOf<'dashboard'>,
): Promise<DashboardContent> {
  const stored = dashboardId === null ? null : await findDashboard(deps.store.db, accountId, dashboardId)
  const now = new Date(deps.clock.now()).toISOString()
  // No dashboard has the number 0, so no incident belongs to it.
  const blank = { id: 0, account_id: accountId, dashboard_id: '', created_at: now, updated_at: null }
  const row = { ...(stored ?? blank), ...dashboardColumns(dashboard) }
  return readDashboardContentOf(deps, row, { range: '24h', page: 1, checkId: null })
}

function sendOver(reply: FastifyReply): FastifyReply {
  const body = html`<p>It is shown for some minutes only. Change something in the editor to see a new one.</p>`
  return sendPage(reply, { status: 404, title: 'This preview is over', body, isPreview: true })
}
