import { createDashboardPreview, createStatusPagePreview, type PagePreviewDraft } from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { findDashboard } from '../../storage/pages/dashboards.ts'
import { insertPagePreview } from '../../storage/pages/page-previews.ts'
import { findStatusPage } from '../../storage/pages/status-pages.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function pagePreviewRoutes({ store: { db }, clock }: Deps): Mounted[] {
  const keep = async (accountId: string, draft: PagePreviewDraft) => {
    const { id, expiresAt } = await insertPagePreview(db, accountId, draft, clock.now())
    return { id, path: `/preview/${id}`, expiresAt }
  }
  return [
    handle(createStatusPagePreview, async ({ account, body }) => {
      if (body.statusPageId !== null) orNotFound(await findStatusPage(db, account.id, body.statusPageId))
      return keep(account.id, { kind: 'status-page', ...body })
    }),
    handle(createDashboardPreview, async ({ account, body }) => {
      if (body.dashboardId !== null) orNotFound(await findDashboard(db, account.id, body.dashboardId))
      return keep(account.id, { kind: 'dashboard', ...body })
    }),
  ]
}
