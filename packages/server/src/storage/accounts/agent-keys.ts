// The keys of agents: an operator key (data-center agents) or the key of a private location.
import type { Selectable } from 'kysely'
import type { Db, Pool } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { makeKey, type NewKey } from './api-keys.ts'

export type AgentKey =
  | { kind: 'operator'; keyId: string }
  | { kind: 'private'; keyId: string; accountId: string; privateLocationId: string; slug: string }

export async function findAgentKey(pool: Pool, hash: Buffer): Promise<AgentKey | null> {
  const { rows } = await pool.query<{
    id: string
    account_id: string | null
    location_id: string | null
    slug: string | null
  }>({
    name: 'find-agent-key',
    text: `
      select id, null::uuid as account_id, null::uuid as location_id, null as slug from agent_keys where hash = $1
      union all
      select k.id, l.account_id, l.id, l.slug_name
      from private_location_keys k
      join private_locations l on l.id = k.private_location_id and l.account_id = k.account_id
      where k.hash = $1`,
    values: [hash],
  })
  const row = rows[0]
  if (row === undefined) return null
  const { id: keyId, account_id: accountId, location_id: privateLocationId, slug } = row
  if (accountId === null || privateLocationId === null || slug === null) return { kind: 'operator', keyId }
  return { kind: 'private', keyId, accountId, privateLocationId, slug }
}

export type AgentKeyRow = Selectable<Tables['agent_keys']>

/** Returns the raw key, which isn't stored. */
export async function insertAgentKey(db: Db, name: string): Promise<NewKey> {
  const key = makeKey('agent')
  await db
    .insertInto('agent_keys')
    .values({ id: key.id, name, hash: key.hash, masked_key: key.maskedKey })
    .execute()
  return key
}

export async function listAgentKeys(db: Db): Promise<AgentKeyRow[]> {
  return db.selectFrom('agent_keys').selectAll().orderBy('created_at').orderBy('id').execute()
}

export async function deleteAgentKey(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('agent_keys').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}
