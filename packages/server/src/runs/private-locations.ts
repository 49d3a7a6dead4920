// Creates and deletes private locations and issues their keys, in the transaction of the caller.
import { randomUUID } from 'node:crypto'
import { ApiError, maxPrivateLocationKeys, type PrivateLocation } from '@vedette/contracts'
import type { z } from 'zod'
import { requireQuota } from '../accounts/entitlements.ts'
import { orNotFound } from '../core/or-not-found.ts'
import { codeQueues } from '../schedule/queue.ts'
import { type Db, violatedUnique } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'
import type { Vault } from '../storage/core/vault.ts'
import * as locations from '../storage/runs/private-locations.ts'
import { deleteTestRunsIn } from '../storage/runs/session-runs.ts'

type Input = Pick<z.output<typeof PrivateLocation>, 'name' | 'slugName' | 'icon' | 'proxyUrl'>

/** With its first key. */
export async function createPrivateLocationWithKey(
  tx: Db,
  { accountId, vault }: { accountId: string; vault: Vault },
  input: Input,
) {
  const count = () => locations.countPrivateLocations(tx, accountId)
  await requireQuota(tx, accountId, { key: 'PRIVATE_LOCATIONS', count })
  const values = {
    id: randomUUID(),
    account_id: accountId,
    name: input.name,
    slug_name: input.slugName,
    icon: input.icon,
    proxy_url: input.proxyUrl && sealProxyUrl(vault, accountId, input.proxyUrl),
  }
  const row = await refuseTakenSlug(() => locations.insertPrivateLocation(tx, values))
  return { row, first: await locations.insertPrivateLocationKey(tx, accountId, row.id) }
}

async function refuseTakenSlug<T>(insert: () => Promise<T>): Promise<T> {
  try {
    return await insert()
  } catch (error) {
    if (violatedUnique(error) !== 'private_locations_slug') throw error
    throw new ApiError('key_taken', {
      message: 'A private location with this slugName exists already.',
      attributes: { slugName: 'is taken' },
    })
  }
}

/** Refused while checks or groups use it. */
export async function removePrivateLocation(tx: Db, accountId: string, id: string): Promise<void> {
  const { slug_name } = orNotFound(await locations.lockPrivateLocation(tx, accountId, id))
  if (await locations.isPrivateLocationUsed(tx, accountId, slug_name)) {
    throw new ApiError('in_use', { message: 'Checks or groups still run in this private location.' })
  }
  await locations.deletePrivateLocation(tx, accountId, id)
  // Nothing else reads its queues any more; sessions end the runs that are missing.
  await deleteTestRunsIn(clientOf(tx), codeQueues([id]).concat(id))
}

export async function issuePrivateLocationKey(tx: Db, accountId: string, id: string) {
  orNotFound(await locations.findPrivateLocation(tx, accountId, id))
  // An account that has more locations than it is entitled to gets no more keys.
  const count = () => locations.countPrivateLocations(tx, accountId)
  await requireQuota(tx, accountId, { key: 'PRIVATE_LOCATIONS', adding: 0, count })
  // Two requests must not both issue the second key.
  orNotFound(await locations.lockPrivateLocation(tx, accountId, id))
  const existing = await locations.listPrivateLocationKeys(tx, accountId, [id])
  if (existing.length >= maxPrivateLocationKeys) {
    throw new ApiError('conflict', {
      message: `A private location has at most ${maxPrivateLocationKeys} keys: revoke one first.`,
    })
  }
  return locations.insertPrivateLocationKey(tx, accountId, id)
}

export function sealProxyUrl(vault: Vault, accountId: string, proxyUrl: string): string {
  return JSON.stringify(vault.seal(accountId, proxyUrl))
}
