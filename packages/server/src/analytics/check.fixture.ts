import { randomUUID } from 'node:crypto'
import type { CheckType } from '@vedette/contracts'
import { insertCheck } from '../storage/checks/checks.ts'
import type { Db } from '../storage/core/db.ts'
import { openVault } from '../storage/core/vault.ts'

/** A check of which only its results matter. */
export async function insertTestCheck(db: Db, accountId: string, type: CheckType = 'API'): Promise<string> {
  const id = randomUUID()
  await insertCheck(db, openVault('a secret key for tests'), { id, accountId, type, values: { name: type } })
  return id
}
