import {
  applyImportPlan,
  cancelImportPlan,
  commitImportPlan,
  createImportPlan,
  listImports,
  listProjectImports,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { applyImport, cancelImport, commitImport, planImport, serializePlan } from '../../projects/imports.ts'
import { transact } from '../../storage/core/db.ts'
import { type ImportPlanRow, listImportPlans } from '../../storage/projects/import-plans.ts'
import { findProject } from '../../storage/projects/projects.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function projectImportRoutes({ store, vault, clock }: Deps): Mounted[] {
  const { db } = store
  const contextOf = ({ id }: AccountContext) => ({ accountId: id, vault })
  const serializeAll = (account: AccountContext, rows: ImportPlanRow[]) =>
    Promise.all(rows.map((row) => serializePlan(db, contextOf(account), row)))
  return [
    handle(createImportPlan, ({ account, params, query, body }) =>
      transact(db, (tx) => planImport(tx, contextOf(account), params.logicalId, body, query.preview)),
    ),
    handle(listProjectImports, async ({ account, params, query }) => {
      const { id: projectId } = orNotFound(await findProject(db, account.id, params.logicalId))
      return serializeAll(account, await listImportPlans(db, account.id, { ...query, projectId }))
    }),
    handle(listImports, async ({ account, query }) =>
      serializeAll(account, await listImportPlans(db, account.id, query)),
    ),
    handle(applyImportPlan, ({ account, params }) =>
      transact(db, (tx) => applyImport(tx, contextOf(account), params.importPlanId, clock.now())),
    ),
    handle(commitImportPlan, ({ account, params }) =>
      transact(db, (tx) => commitImport(tx, contextOf(account), params.importPlanId)),
    ),
    handle(cancelImportPlan, ({ account, params }) =>
      transact(db, (tx) => cancelImport(tx, contextOf(account), params.importPlanId)),
    ),
  ]
}
