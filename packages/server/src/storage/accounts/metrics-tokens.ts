import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db, Pool } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { makeKey, type NewKey, type Principal } from './api-keys.ts'

export type MetricsTokenRow = Selectable<Tables['metrics_tokens']>

const rows = accountRows('metrics_tokens')

export const deleteMetricsToken = rows.delete

/** Returns the raw token, which isn't stored. */
export async function insertMetricsToken(
  db: Db,
  accountId: string,
): Promise<{ key: NewKey; row: MetricsTokenRow }> {
  const key = makeKey('metrics')
  const { id, hash, maskedKey: masked_key } = key
  return { key, row: await rows.insert(db, { id, account_id: accountId, hash, masked_key }) }
}

export async function listMetricsTokens(db: Db, accountId: string): Promise<MetricsTokenRow[]> {
  return db
    .selectFrom('metrics_tokens')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

/** A principal that may read one account; routes decide whether they accept it. */
export async function findMetricsPrincipal(pool: Pool, hash: Buffer): Promise<Principal | null> {
  const { rows } = await pool.query<{ id: string; account_id: string; plan: string }>({
    name: 'find-metrics-token',
    text: 'select t.id, t.account_id, a.plan from metrics_tokens t join accounts a on a.id = t.account_id where t.hash = $1',
    values: [hash],
  })
  const row = rows[0]
  if (row === undefined) return null
  return {
    keyId: row.id,
    userId: null,
    roles: new Map([[row.account_id, 'READ_ONLY']]),
    hostedAccounts: new Set(row.plan === 'self-hosted' ? [] : [row.account_id]),
  }
}
