import { randomUUID } from 'node:crypto'
import type { CheckType } from '@vedette/contracts'
import { insertChecks } from '../storage/checks/checks.ts'
import type { Db } from '../storage/core/db.ts'
import { openVault } from '../storage/core/vault.ts'

/** A check with default settings. */
export async function insertTestCheck(db: Db, accountId: string, type: CheckType = 'API'): Promise<string> {
  const id = randomUUID()
  await insertChecks(db, openVault('a secret key for tests'), accountId, [
    { id, type, values: { name: type } },
  ])
  return id
}
