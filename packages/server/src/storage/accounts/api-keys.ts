import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Role } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import type pg from 'pg'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

/** The caller: a key or a sign-in, its user (none for a service key), and its role in each account. */
export interface Principal {
  /** Of the key or the sign-in. */
  keyId: string
  userId: string | null
  roles: ReadonlyMap<string, Role>
  /** The accounts among them whose plan isn't self-hosted. */
  hostedAccounts: ReadonlySet<string>
  /** Absent: the caller has a key. Times in milliseconds. */
  signIn?: { confirmedAt: number; lastUsedAt: number; expiresAt: number }
}

export interface NewKey {
  id: string
  rawKey: string
  maskedKey: string
  hash: Buffer
}

export type KeyKind = 'user' | 'service' | 'location' | 'agent' | 'metrics' | 'dashboard' | 'status-page'

const prefixes = {
  user: 'vu_',
  service: 'vs_',
  location: 'pl_',
  agent: 'va_',
  metrics: 'vm_',
  dashboard: 'vd_',
  'status-page': 'vp_',
} as const satisfies Record<KeyKind, string>

/** 128 random bits: enough that an unsalted hash is safe. */
export function makeKey(kind: KeyKind): NewKey {
  const rawKey = prefixes[kind] + randomBytes(16).toString('hex')
  return { id: randomUUID(), rawKey, maskedKey: `...${rawKey.slice(-4)}`, hash: hashKey(rawKey) }
}

export function hashKey(rawKey: string): Buffer {
  return createHash('sha256').update(rawKey).digest()
}

/** In the order of the hashes; null: no such key. */
export async function findPrincipals(
  pool: pg.Pool,
  hashes: readonly Buffer[],
): Promise<(Principal | null)[]> {
  const { rows } = await pool.query<PrincipalRow>({
    name: 'find-principals',
    text: `
      select encode(k.hash, 'hex') as hash, k.id, k.user_id, coalesce(m.account_id, k.account_id) as account_id, coalesce(m.role, k.role) as role, a.plan
      from api_keys k
      left join memberships m on m.user_id = k.user_id
      left join accounts a on a.id = coalesce(m.account_id, k.account_id)
      where k.hash = any($1::bytea[])`,
    values: [hashes],
  })
  return byHash(hashes, rows).map(principalOf)
}

/** The rows of each hash. */
export function byHash<Row extends { hash: string }>(
  hashes: readonly Buffer[],
  rows: readonly Row[],
): Row[][] {
  const known = Map.groupBy(rows, ({ hash }) => hash)
  return hashes.map((hash) => known.get(hash.toString('hex')) ?? [])
}

interface PrincipalRow {
  /** In hexadecimal. */
  hash: string
  id: string
  user_id: string | null
  account_id: string | null
  role: Role | null
  plan: string | null
}

/** From one row for each account. */
export function principalOf(rows: readonly PrincipalRow[]): Principal | null {
  const first = rows[0]
  if (first === undefined) return null
  const roles = new Map<string, Role>()
  const hostedAccounts = new Set<string>()
  for (const { account_id, role, plan } of rows) {
    if (account_id === null || role === null) continue
    roles.set(account_id, role)
    if (plan !== 'self-hosted') hostedAccounts.add(account_id)
  }
  return { keyId: first.id, userId: first.user_id, roles, hostedAccounts }
}

export async function touchApiKeys(db: Db, ids: readonly string[], at: Date): Promise<void> {
  await db.updateTable('api_keys').set({ last_used_at: at }).where('id', 'in', ids).execute()
}

/** A key with the roles of its user. Returns the raw key, which isn't stored. */
export async function insertUserKey(db: Db, userId: string, name: string): Promise<NewKey> {
  const key = makeKey('user')
  await db
    .insertInto('api_keys')
    .values({ id: key.id, user_id: userId, name, hash: key.hash, masked_key: key.maskedKey })
    .execute()
  return key
}

/** A key of one account with its own role. */
export async function insertServiceKey(db: Db, accountId: string, role: Role, name: string): Promise<NewKey> {
  const key = makeKey('service')
  await db
    .insertInto('api_keys')
    .values({ id: key.id, account_id: accountId, role, name, hash: key.hash, masked_key: key.maskedKey })
    .execute()
  return key
}

export type ApiKeyRow = Selectable<Tables['api_keys']>

export async function findApiKey(db: Db, id: string): Promise<ApiKeyRow | null> {
  return (await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** The keys of a user, or the service keys of an account. */
export type KeyOwner = { user_id: string } | { account_id: string }

export async function listApiKeys(db: Db, owner: KeyOwner): Promise<ApiKeyRow[]> {
  const all = db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id')
  return 'user_id' in owner
    ? all.where('user_id', '=', owner.user_id).execute()
    : all.where('account_id', '=', owner.account_id).execute()
}

export async function deleteApiKey(db: Db, owner: KeyOwner, id: string): Promise<boolean> {
  const one = db.deleteFrom('api_keys').where('id', '=', id)
  const { numDeletedRows } = await ('user_id' in owner
    ? one.where('user_id', '=', owner.user_id)
    : one.where('account_id', '=', owner.account_id)
  ).executeTakeFirst()
  return numDeletedRows > 0n
}
