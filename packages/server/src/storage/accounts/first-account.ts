import { randomUUID } from 'node:crypto'
import { defaultAccountSettings, defaultAlertSettings, defaultRuntimeId } from '@vedette/contracts'
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'
import { type AccountRow, insertAccount } from './accounts.ts'
import { insertUserKey } from './api-keys.ts'
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
  owner: { id: string; email: string }
}

/** Creates the account, owner and key of a new installation; null if there is an account. */
export async function createFirstAccount(
  db: Db,
  names: { account: string; email: string },
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
    return { accountId: account.id, rawKey: key.rawKey, owner: { id: user.id, email: user.email } }
  })
}
