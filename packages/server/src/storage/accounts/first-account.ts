import { randomUUID } from 'node:crypto'
import { defaultAccountSettings, defaultAlertSettings, defaultRuntimeId } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'
import { type AccountRow, insertAccount } from './accounts.ts'
import { insertUserKey } from './api-keys.ts'
import { insertOneTimeLink } from './one-time-links.ts'
import { insertMembership, insertUser } from './users.ts'

export async function createAccount(db: Db, name: string, plan = 'self-hosted'): Promise<AccountRow> {
  return insertAccount(db, {
    id: randomUUID(),
    name,
    runtime_id: defaultRuntimeId,
    plan,
    settings: JSON.stringify(defaultAccountSettings),
    alert_settings: JSON.stringify(defaultAlertSettings),
  })
}

export interface FirstAccount {
  accountId: string
  rawKey: string
  /** Of the link by which the owner chooses a password. */
  setupToken: string
  owner: { id: string; email: string }
}

/** Creates the account, owner, key and setup link of a new installation; null if there is an account. */
export async function createFirstAccount(
  db: Db,
  names: { account: string; email: string },
  now: number,
): Promise<FirstAccount | null> {
  return db.transaction().execute(async (tx) => {
    // If several servers start together on one database, one of them creates it.
    await sql`select pg_advisory_xact_lock(727003)`.execute(tx)
    const existing = await tx.selectFrom('accounts').select('id').limit(1).executeTakeFirst()
    if (existing !== undefined) return null
    const account = await createAccount(tx, names.account)
    const user = await insertUser(tx, { id: randomUUID(), name: 'Owner', email: names.email })
    await insertMembership(tx, { account_id: account.id, user_id: user.id, role: 'OWNER' })
    const key = await insertUserKey(tx, user.id, 'First key')
    const setupToken = await insertOneTimeLink(tx, { kind: 'setup', userId: user.id, now })
    const owner = { id: user.id, email: user.email }
    return { accountId: account.id, rawKey: key.rawKey, setupToken, owner }
  })
}
