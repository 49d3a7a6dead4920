import {
  createStatusPageComponent,
  deleteStatusPageComponent,
  getStatusPageComponent,
  listStatusPageComponents,
  updateStatusPageComponent,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as changes from '../../pages/use-cases/change-status-page-components.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import * as components from '../../storage/pages/status-page-components.ts'
import { findStatusPage } from '../../storage/pages/status-pages.ts'
import { withProjectFields, withProjectFieldsOfOne } from '../../storage/projects/owners.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeComponent } from './serialize-component.ts'

export function statusPageComponentRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  const list = async (accountId: string, pageId: string) => {
    const page = orNotFound(await findStatusPage(db, accountId, pageId))
    return components.listStatusPageComponents(db, accountId, [page.id])
  }
  return [
    handle(listStatusPageComponents, async ({ account, params }) => {
      const serialized = (await list(account.id, params.statusPageId)).map(serializeComponent)
      return withProjectFields(db, account.id, 'status-page-component', serialized)
    }),
    handle(getStatusPageComponent, async ({ account, params }) => {
      const all = await list(account.id, params.statusPageId)
      const row = orNotFound(all.find(({ id }) => id === params.componentId.toLowerCase()))
      return bind(db, account.id, row)
    }),
    handle(createStatusPageComponent, ({ account, params, body }) =>
      transact(db, async (tx) =>
        serializeComponent(
          await changes.createComponent(tx, account.id, params.statusPageId, body, clock.now()),
        ),
      ),
    ),
    handle(updateStatusPageComponent, ({ account, params, body }) =>
      transact(db, async (tx) =>
        bind(tx, account.id, await changes.updateComponent(tx, account.id, params, body, clock.now())),
      ),
    ),
    handle(deleteStatusPageComponent, ({ account, params }) =>
      transact(db, (tx) => changes.deleteComponent(tx, account.id, params, clock.now())),
    ),
  ]
}

const bind = (db: Db, accountId: string, row: components.StatusPageComponentRow) =>
  withProjectFieldsOfOne(db, accountId, 'status-page-component', serializeComponent(row))
