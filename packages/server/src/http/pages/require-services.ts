import { invalidInput } from '@vedette/contracts'
import type { Db } from '../../storage/core/db.ts'
import { holdStatusPageServices } from '../../storage/pages/status-page-services.ts'

export interface ServiceMention {
  id: string
  /** Its path in the body. */
  path: (string | number)[]
}

/** Throws a 400 that names the services that the account doesn't have, and locks the others against deletion. */
export async function requireServices(tx: Db, accountId: string, mentions: ServiceMention[]): Promise<void> {
  const ids = [...new Set(mentions.map(({ id }) => id.toLowerCase()))]
  const existing = await holdStatusPageServices(tx, accountId, ids)
  const missing = mentions.filter(({ id }) => !existing.has(id.toLowerCase()))
  if (missing.length === 0) return
  throw invalidInput(missing.map(({ path }) => ({ path, message: "isn't a service of this account" })))
}
