// Blobs that nothing refers to any more go. In: what is due to be looked at. Any number of servers may be at it at once.
import { dayMs, hourMs } from '@vedette/contracts'
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
  /** For how long the files of a run are kept. */
  retentionMs: number
  now: number
}

const batch = 200
const atOnce = 16

/** Returns how many went. */
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

/** Given up in a transaction of its own: were the bytes deleted in it and it failed, the row would promise too much. */
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

/** Whoever uploads the same bytes now waits for the lock, and then places them anew. */
function deleteGivenUp(options: ReleaseOptions) {
  const { pool, blobs, now } = options
  return inTransaction(pool, async (client) => {
    const given = await lockGivenUpBlobs(client, now, batch)
    // Bytes that were missed once, while their disk was not mounted perhaps, may be back; results still name them.
    const uses = await listBlobUses(client, given)
    await keepUsed(client, uses, options)
    const { gone, failed, failure } = await deleteBytes(
      blobs,
      uses.filter((use) => !isUsed(use)),
    )
    await deleteBlobRows(client, gone)
    // Others must not wait behind those.
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

/** Until one fails. Returns when none is under way any more: what is deleted after the lock is gone may be new. */
async function deleteBytes(blobs: BlobStore, keys: readonly BlobKey[]) {
  const gone: BlobKey[] = []
  const failed: BlobKey[] = []
  let failure: Error | null = null
  const next = keys.values()
  const worker = async () => {
    for (const key of next) {
      try {
        await blobs.delete(key.accountId, key.sha256)
        gone.push(key)
      } catch (error) {
        failed.push(key)
        failure ??= error as Error
      }
      if (failure !== null) return
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { gone, failed, failure: failure as Error | null }
}
