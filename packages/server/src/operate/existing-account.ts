import { type AccountRow, findAccount } from '../storage/accounts.ts'
import type { Db } from '../storage/db.ts'
import { OperatorError } from './command.ts'

export async function getExistingAccount(db: Db, id: string): Promise<AccountRow> {
  const account = await findAccount(db, id)
  if (account === null)
    throw new OperatorError(`There is no account ${id}: vedette accounts list shows them.`)
  return account
}
