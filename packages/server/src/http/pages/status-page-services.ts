import { randomUUID } from 'node:crypto'
import {
  createStatusPageService,
  deleteStatusPageService,
  getStatusPageService,
  listStatusPageServices,
  listStatusPageServiceUsage,
  updateStatusPageService,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { deleteService } from '../../pages/use-cases/services.ts'
import { transact } from '../../storage/core/db.ts'
import { listServiceUsage } from '../../storage/pages/service-usage.ts'
import * as services from '../../storage/pages/status-page-services.ts'
import { withProjectFields, withProjectFieldsOfOne } from '../../storage/projects/owners.ts'
import { readCursor, serializePage } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeService } from './serialize-incidents.ts'

export function statusPageServiceRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  const bind = (accountId: string, row: services.StatusPageServiceRow) =>
    withProjectFieldsOfOne(db, accountId, 'status-page-service', serializeService(row))
  return [
    handle(listStatusPageServices, async ({ account, query }) => {
      const page = await services.listStatusPageServices(db, account.id, readCursor(query))
      const serialized = page.entries.map(serializeService)
      return serializePage(page, await withProjectFields(db, account.id, 'status-page-service', serialized))
    }),
    handle(listStatusPageServiceUsage, ({ account }) => listServiceUsage(db, account.id)),
    handle(getStatusPageService, async ({ account, params }) => {
      return bind(
        account.id,
        orNotFound(await services.findStatusPageService(db, account.id, params.serviceId)),
      )
    }),
    handle(createStatusPageService, async ({ account, body }) => {
      const values = { id: randomUUID(), account_id: account.id, name: body.name }
      return serializeService(await services.insertStatusPageService(db, values))
    }),
    handle(updateStatusPageService, async ({ account, params, body }) => {
      const values = { ...body, updated_at: new Date(clock.now()) }
      return bind(
        account.id,
        orNotFound(await services.updateStatusPageService(db, account.id, params.serviceId, values)),
      )
    }),
    handle(deleteStatusPageService, ({ account, params }) =>
      transact(db, (tx) => deleteService(tx, account.id, params.serviceId, clock.now())),
    ),
  ]
}
