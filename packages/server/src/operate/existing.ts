import { type AccountRow, findAccount } from '../storage/accounts/accounts.ts'
import { findUserByEmail } from '../storage/accounts/installation.ts'
import type { UserRow } from '../storage/accounts/users.ts'
import type { Db } from '../storage/core/db.ts'
import { OperatorError } from './command.ts'

export async function getExistingAccount(db: Db, id: string): Promise<AccountRow> {
  const account = await findAccount(db, id)
  if (account === null)
    throw new OperatorError(`There is no account ${id}: vedette accounts list shows them.`)
  return account
}

export async function getExistingUser(db: Db, email: string): Promise<UserRow> {
  const user = await findUserByEmail(db, email)
  if (user === null)
    throw new OperatorError(`There is no user ${email}: vedette users create --email ${email} creates one.`)
  return user
}
