// Services of status pages: references to them, and their deletion. In the transaction of the caller.
import { ApiError, invalidInput } from '@vedette/contracts'
import { removeFromMaintenanceWindows } from '../../storage/checks/maintenance-windows.ts'
import type { Db } from '../../storage/core/db.ts'
import { deleteUnshownServices } from '../../storage/pages/status-page-components.ts'
import * as services from '../../storage/pages/status-page-services.ts'

export interface ServiceMention {
  id: string
  /** Its path in the body. */
  path: (string | number)[]
}

/** Throws a 400 that names the services that the account doesn't have, and locks the others against deletion. */
export async function requireServices(tx: Db, accountId: string, mentions: ServiceMention[]): Promise<void> {
  const ids = [...new Set(mentions.map(({ id }) => id.toLowerCase()))]
  const existing = await services.holdStatusPageServices(tx, accountId, ids)
  const missing = mentions.filter(({ id }) => !existing.has(id.toLowerCase()))
  if (missing.length === 0) return
  throw invalidInput(missing.map(({ path }) => ({ path, message: "isn't a service of this account" })))
}

/** Refused while status pages show it. */
export async function deleteService(tx: Db, accountId: string, id: string, now: number): Promise<void> {
  const pages = await services.listPagesOfService(tx, accountId, id)
  if (pages.length > 0) {
    const where = `the status page${pages.length === 1 ? '' : 's'} ${pages.join(', ')}`
    const message = `The service is shown on ${where}: remove it there first.`
    throw new ApiError('in_use', { message, attributes: { statusPages: pages } })
  }
  const isDeleted = await services.deleteStatusPageService(tx, accountId, id, new Date(now))
  if (!isDeleted) throw new ApiError('not_found')
  await removeFromMaintenanceWindows(tx, accountId, 'serviceIds', [id])
}

/** Deletes services that were created with components, unless another component shows them. */
export async function deleteOwnServices(
  tx: Db,
  accountId: string,
  ids: readonly string[],
  now: number,
): Promise<void> {
  const deleted = await deleteUnshownServices(tx, accountId, ids, new Date(now))
  if (deleted.length > 0) await removeFromMaintenanceWindows(tx, accountId, 'serviceIds', deleted)
}
