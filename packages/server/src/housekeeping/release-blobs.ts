// Deletes blobs without references. Any number of servers may do this at once.
import { dayMs, hourMs } from '@vedette/contracts'
import { toError } from '@vedette/safeguards/errors'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Pool } from '../storage/core/db.ts'
import { type Client, inTransaction } from '../storage/core/transaction.ts'
import {
  type BlobKey,
  type BlobUse,
  deleteBlobRows,
  giveUpBlobs,
  isUsed,
  listBlobUses,
  lockDueBlobs,
  lockGivenUpBlobs,
  postponeBlobs,
} from '../storage/results/blobs.ts'

export interface ReleaseOptions {
  pool: Pool
  blobs: BlobStore
  /** How long files of runs are kept. */
  retentionMs: number
  now: number
}

const batch = 200
const concurrency = 16

/** Returns how many blobs were deleted. */
export async function releaseBlobs(options: ReleaseOptions): Promise<number> {
  while ((await examine(options)) >= batch);
  let total = 0
  for (;;) {
    const { seen, deleted, failure } = await deleteGivenUp(options)
    total += deleted
    if (failure !== null) throw failure
    if (seen < batch) return total
  }
}

/** Marks blobs for deletion in its own transaction: if the bytes were deleted in it and it rolled back, rows without bytes would remain. */
function examine(options: ReleaseOptions): Promise<number> {
  const { pool, now } = options
  return inTransaction(pool, async (client) => {
    const due = await lockDueBlobs(client, now, batch)
    if (due.length === 0) return 0
    const uses = await listBlobUses(client, due)
    await giveUpBlobs(
      client,
      uses.filter((use) => !isUsed(use)),
    )
    await keepUsed(client, uses, options)
    return due.length
  })
}

/** A concurrent upload of the same bytes waits for the lock, and then stores them again. */
function deleteGivenUp(options: ReleaseOptions) {
  const { pool, blobs, now } = options
  return inTransaction(pool, async (client) => {
    const given = await lockGivenUpBlobs(client, now, batch)
    // Blobs that were marked as lost, for example while their disk wasn't mounted, may still be in use.
    const uses = await listBlobUses(client, given)
    await keepUsed(client, uses, options)
    const { gone, failed, failure } = await deleteBytes(
      blobs,
      uses.filter((use) => !isUsed(use)),
    )
    await deleteBlobRows(client, gone)
    // Failed deletions are retried later, so that they don't delay the others.
    await postponeBlobs(
      client,
      failed.map((key) => ({ ...key, examineAt: now + hourMs })),
    )
    return { seen: given.length, deleted: gone.length, failure }
  })
}

async function keepUsed(
  client: Client,
  uses: readonly BlobUse[],
  { now, retentionMs }: ReleaseOptions,
): Promise<void> {
  await postponeBlobs(
    client,
    uses.filter(isUsed).map(({ accountId, sha256, newestAt }) => ({
      accountId,
      sha256,
      examineAt: Math.max(now + dayMs, (newestAt ?? 0) + retentionMs),
    })),
  )
}

/** Stops after the first failure. Waits for all deletions in flight: after the lock is released, they could delete a new upload. */
async function deleteBytes(blobs: BlobStore, keys: readonly BlobKey[]) {
  const gone: BlobKey[] = []
  const failed: BlobKey[] = []
  const failures: Error[] = []
  const next = keys.values()
  const worker = async () => {
    for (const key of next) {
      try {
        await blobs.delete(key.accountId, key.sha256)
        gone.push(key)
      } catch (error) {
        failed.push(key)
        failures.push(toError(error))
      }
      if (failures.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return { gone, failed, failure: failures[0] ?? null }
}
