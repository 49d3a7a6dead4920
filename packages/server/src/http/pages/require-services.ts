import { invalidInput } from '@vedette/contracts'
import type { Db } from '../../storage/core/db.ts'
import { holdStatusPageServices } from '../../storage/pages/status-page-services.ts'

export interface ServiceMention {
  id: string
  /** Where it stands in the body. */
  path: (string | number)[]
}

/** A 400 that names every mentioned service the account does not have; the others stay until the transaction ends. */
export async function requireServices(tx: Db, accountId: string, mentions: ServiceMention[]): Promise<void> {
  const ids = [...new Set(mentions.map(({ id }) => id.toLowerCase()))]
  const existing = await holdStatusPageServices(tx, accountId, ids)
  const missing = mentions.filter(({ id }) => !existing.has(id.toLowerCase()))
  if (missing.length === 0) return
  throw invalidInput(missing.map(({ path }) => ({ path, message: 'is no service of this account' })))
}
