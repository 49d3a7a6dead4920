// Deployments of projects. All times are of the store: several servers take part.
import { randomUUID } from 'node:crypto'
import type { ProjectDeployResult } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { type Db, violatedUnique } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type ProjectDeploymentRow = Selectable<Tables['project_deployments']>

export interface DeploymentError {
  statusCode: number
  message: string
  attributes: Record<string, unknown>
}

/** A server that doesn't extend it for this long was stopped. */
const lease = sql`now() + interval '30 seconds'`

/** The id of the running one if there is one already. */
export async function insertProjectDeployment(
  db: Db,
  accountId: string,
  { logicalId, kind }: { logicalId: string; kind: 'DEPLOY' | 'DELETE' },
): Promise<ProjectDeploymentRow | { runningId: string | null }> {
  try {
    return await db
      .insertInto('project_deployments')
      .values({
        id: randomUUID(),
        account_id: accountId,
        project_logical_id: logicalId,
        kind,
        status: 'PENDING',
        lease_until: sql<string>`${lease}`,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
  } catch (error) {
    if (violatedUnique(error) !== 'project_deployments_running') throw error
    const running = await db
      .selectFrom('project_deployments')
      .select('id')
      .where('account_id', '=', accountId)
      .where('project_logical_id', '=', logicalId)
      .where('status', 'in', ['PENDING', 'RUNNING'])
      .executeTakeFirst()
    return { runningId: running?.id ?? null }
  }
}

export async function findProjectDeployment(
  db: Db,
  accountId: string,
  logicalId: string,
  id: string,
): Promise<ProjectDeploymentRow | null> {
  const row = await db
    .selectFrom('project_deployments')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('project_logical_id', '=', logicalId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

export async function extendLease(db: Db, accountId: string, id: string): Promise<void> {
  await db
    .updateTable('project_deployments')
    .set({ lease_until: sql<string>`${lease}` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .execute()
}

/** Extends the lease and says how far it is. Null: it is over, because it was reaped. */
export async function reportProgress(
  db: Db,
  accountId: string,
  id: string,
  progress: number,
): Promise<{ isCanceled: boolean } | null> {
  const row = await db
    .updateTable('project_deployments')
    .set({
      status: 'RUNNING',
      progress: sql<number>`greatest(progress, ${progress}::integer)`,
      started_at: sql<string>`coalesce(started_at, now())`,
      lease_until: sql<string>`${lease}`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .returning('cancel_requested_at')
    .executeTakeFirst()
  return row === undefined ? null : { isCanceled: row.cancel_requested_at !== null }
}

/**
 * In the transaction that changes the resources, as its last statement: false if the deployment is over or canceled, so
 * that a server that was taken for stopped commits nothing.
 */
export async function succeedDeployment(
  tx: Db,
  accountId: string,
  id: string,
  result: ProjectDeployResult,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('project_deployments')
    .set({
      status: 'SUCCEEDED',
      progress: 100,
      result: JSON.stringify(result),
      started_at: sql<string>`coalesce(started_at, created_at)`,
      ended_at: sql<string>`clock_timestamp()`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .where('cancel_requested_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

export async function endDeployment(
  db: Db,
  accountId: string,
  id: string,
  end: { status: 'CANCELLED' } | { status: 'FAILED'; error: DeploymentError },
): Promise<void> {
  await db
    .updateTable('project_deployments')
    .set({
      status: end.status,
      error: end.status === 'FAILED' ? JSON.stringify(end.error) : null,
      ended_at: sql<string>`now()`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .execute()
}

/** Null if the account doesn't have it. One that is over stays as it is. */
export async function requestCancel(
  db: Db,
  accountId: string,
  logicalId: string,
  id: string,
): Promise<ProjectDeploymentRow | null> {
  await db
    .updateTable('project_deployments')
    .set({ cancel_requested_at: sql<string>`coalesce(cancel_requested_at, now())` })
    .where('account_id', '=', accountId)
    .where('project_logical_id', '=', logicalId)
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .execute()
  return findProjectDeployment(db, accountId, logicalId, id)
}

/** Ends those whose server was stopped. Their transactions were rolled back. */
export async function reapDeployments(db: Db): Promise<void> {
  const error: DeploymentError = {
    statusCode: 503,
    message: 'The server was stopped in the middle of the deployment. Nothing was changed: deploy again.',
    attributes: {},
  }
  await db
    .updateTable('project_deployments')
    .set({
      status: sql<string>`case when cancel_requested_at is null then 'FAILED' else 'CANCELLED' end`,
      error: sql<string>`case when cancel_requested_at is null then ${JSON.stringify(error)}::jsonb end`,
      ended_at: sql<string>`now()`,
    })
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .where('lease_until', '<', sql<string>`now()`)
    .execute()
}

export async function deleteOldDeployments(db: Db): Promise<void> {
  await db
    .deleteFrom('project_deployments')
    .where('ended_at', '<', sql<string>`now() - interval '30 days'`)
    .execute()
}
