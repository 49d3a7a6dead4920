import { randomUUID } from 'node:crypto'
import type { FieldIssue, Page } from '@vedette/contracts'
import type { Insertable, Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type DeploymentRow = Selectable<Tables['deployments']>

export function insertDeployment(
  db: Db,
  values: Omit<Insertable<Tables['deployments']>, 'id' | 'created_at'> & { created_at: Date },
): Promise<DeploymentRow> {
  return db
    .insertInto('deployments')
    .values({ ...values, id: randomUUID() })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export const { delete: deleteDeployment } = accountRows('deployments')

/** The latest first. In milliseconds; `to` is exclusive. */
export function listDeployments(
  db: Db,
  accountId: string,
  { from, to, ...page }: PageRequest & { from?: number | undefined; to?: number | undefined },
): Promise<Page<DeploymentRow>> {
  let all = db.selectFrom('deployments').where('account_id', '=', accountId)
  if (from !== undefined) all = all.where('created_at', '>=', new Date(from).toISOString())
  if (to !== undefined) all = all.where('created_at', '<', new Date(to).toISOString())
  return pageOf(all.selectAll().orderBy('created_at', 'desc').orderBy('id'), all.select(countAll), page)
}

/** Targets must exist when a deployment is recorded; they may be deleted later. */
export async function listMissingTargets(
  db: Db,
  accountId: string,
  { checkId, groupId }: { checkId: string | null; groupId: number | null },
): Promise<FieldIssue[]> {
  const check = db.selectFrom('checks').select('id').where('account_id', '=', accountId)
  const group = db.selectFrom('check_groups').select('id').where('account_id', '=', accountId)
  const isGone = async (row: { executeTakeFirst(): Promise<unknown> }) =>
    (await row.executeTakeFirst()) === undefined
  const issues: FieldIssue[] = []
  if (checkId !== null && (await isGone(check.where('id', '=', checkId))))
    issues.push({ path: ['checkId'], message: 'does not exist' })
  if (groupId !== null && (await isGone(group.where('id', '=', groupId))))
    issues.push({ path: ['groupId'], message: 'does not exist' })
  return issues
}
