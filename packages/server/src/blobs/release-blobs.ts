// Blobs that nothing refers to any more go. In: what is due to be looked at. Any number of servers may be at it at once.
import {
  type BlobKey,
  deleteBlobRows,
  giveUpBlobs,
  listBlobUses,
  lockDueBlobs,
  lockGivenUpBlobs,
  postponeBlobs,
} from '../storage/blobs.ts'
import type { Pool } from '../storage/db.ts'
import { inTransaction } from '../storage/transaction.ts'
import type { BlobStore } from './blob-store.ts'

export interface ReleaseOptions {
  pool: Pool
  blobs: BlobStore
  /** For how long the files of a run are kept. */
  retentionMs: number
  now: number
}

const dayMs = 86_400_000
const batch = 200

/** Returns how many went. */
export async function releaseBlobs(options: ReleaseOptions): Promise<number> {
  while ((await examine(options)) >= batch);
  let total = 0
  for (;;) {
    const deleted = await deleteGivenUp(options)
    total += deleted
    if (deleted < batch) return total
  }
}

/** Given up in a transaction of its own: were the bytes deleted in it and it failed, the row would promise too much. */
function examine({ pool, retentionMs, now }: ReleaseOptions): Promise<number> {
  return inTransaction(pool, async (client) => {
    const due = await lockDueBlobs(client, now, batch)
    if (due.length === 0) return 0
    const uses = await listBlobUses(client, due)
    const unused = uses.filter(({ newestAt, isUploaded }) => newestAt === null && !isUploaded)
    await giveUpBlobs(client, unused)
    await postponeBlobs(
      client,
      uses
        .filter((use) => !unused.includes(use))
        .map(({ accountId, sha256, newestAt }) => ({
          accountId,
          sha256,
          examineAt: Math.max(now + dayMs, (newestAt ?? 0) + retentionMs),
        })),
    )
    return due.length
  })
}

/** Whoever uploads the same bytes now waits for the lock, and then places them anew. */
function deleteGivenUp({ pool, blobs, now }: ReleaseOptions): Promise<number> {
  return inTransaction(pool, async (client) => {
    const gone: BlobKey[] = await lockGivenUpBlobs(client, now, batch)
    await Promise.all(gone.map(({ accountId, sha256 }) => blobs.delete(accountId, sha256)))
    await deleteBlobRows(client, gone)
    return gone.length
  })
}
