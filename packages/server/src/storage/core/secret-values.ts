// Values that must not be disclosed: those sealed in the variables of an account and in one of its checks.
import { sql } from 'kysely'
import type { Db } from './db.ts'
import { isSealed, type Vault } from './vault.ts'

export async function listSecretValues(
  db: Db,
  vault: Vault,
  accountId: string,
  checkId: string | null,
): Promise<string[]> {
  const { rows } = await sql<{ value: unknown }>`
    select value from variables where account_id = ${accountId} and (secret or locked)
    union all
    select settings from checks where account_id = ${accountId} and id = ${checkId}
    union all
    select to_jsonb(g) from check_groups g join checks c on c.account_id = g.account_id and c.group_id = g.id
      where c.account_id = ${accountId} and c.id = ${checkId}`.execute(db)
  return [...new Set(rows.flatMap(({ value }) => unsealAll(vault, accountId, value)))]
}

function unsealAll(vault: Vault, accountId: string, value: unknown): string[] {
  if (isSealed(value)) return [vault.unseal(accountId, value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((item) => unsealAll(vault, accountId, item))
}
