import { randomUUID } from 'node:crypto'
import type { PhysicalId, ResourceType } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type ImportPlanRow = Selectable<Tables['import_plans']>

/** Without its settings: they may hold secrets. */
export interface PlannedResource {
  type: ResourceType
  logicalId: string
  physicalId: PhysicalId
}

export const { lock: lockImportPlan, delete: deleteImportPlan } = accountRows('import_plans')

export async function insertImportPlan(
  db: Db,
  accountId: string,
  projectId: string,
  resources: readonly PlannedResource[],
): Promise<ImportPlanRow> {
  return db
    .insertInto('import_plans')
    .values({
      id: randomUUID(),
      account_id: accountId,
      project_id: projectId,
      resources: JSON.stringify(resources),
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** The oldest first. */
export async function listImportPlans(
  db: Db,
  accountId: string,
  {
    projectId,
    onlyUnapplied,
    onlyUncommitted,
  }: { projectId?: string; onlyUnapplied: boolean; onlyUncommitted: boolean },
): Promise<ImportPlanRow[]> {
  return db
    .selectFrom('import_plans')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(projectId !== undefined, (rows) => rows.where('project_id', '=', projectId ?? ''))
    .$if(onlyUnapplied, (rows) => rows.where('applied_at', 'is', null))
    .$if(onlyUncommitted, (rows) => rows.where('committed_at', 'is', null))
    .orderBy('created_at')
    .execute()
}

export async function markPlan(
  db: Db,
  accountId: string,
  id: string,
  column: 'applied_at' | 'committed_at',
): Promise<ImportPlanRow> {
  return db
    .updateTable('import_plans')
    .set({ [column]: sql<string>`now()` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Its resources are members like any other from now on. */
export async function releaseBindings(db: Db, accountId: string, planId: string): Promise<void> {
  await db
    .updateTable('project_resources')
    .set({ import_plan_id: null })
    .where('account_id', '=', accountId)
    .where('import_plan_id', '=', planId)
    .execute()
}
