// Stores bytes as a blob of an account: once, even if several uploads send them at the same time.
import type { Readable } from 'node:stream'
import type { Pool } from '../storage/core/db.ts'
import { claimBlob, findBlobSize, markBlobLost, markBlobStored } from '../storage/results/blobs.ts'
import type { ByteRange, KeptBlob } from './blob-backend.ts'
import type { BlobStore } from './blob-store.ts'
import type { ReceiveLimits } from './receive.ts'

export interface KeepBlobDeps {
  pool: Pool
  blobs: BlobStore
  now: number
}

/** Throws a RefusedBytes. The blob is deleted unless something refers to it within an hour. */
export async function keepBlob(
  { pool, blobs, now }: KeepBlobDeps,
  accountId: string,
  bytes: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
): Promise<KeptBlob> {
  const received = await blobs.receive(bytes, limits)
  const { sha256, sizeBytes } = received
  try {
    const key = { accountId, sha256 }
    // The row first: a concurrent deletion of the same bytes finishes before ours are stored.
    const { isStored } = await claimBlob(pool, { ...key, sizeBytes }, now)
    if (!isStored) {
      await blobs.put(accountId, received)
      if (!(await markBlobStored(pool, key)))
        throw new Error('The blob was released while it was being stored')
    }
    return { sha256, sizeBytes }
  } finally {
    await received.discard()
  }
}

/** Null: the bytes are missing or incomplete. Then the blob is marked as lost, and the next upload restores it. */
export async function openBlob(
  { pool, blobs }: Omit<KeepBlobDeps, 'now'>,
  accountId: string,
  sha256: string,
  range?: ByteRange,
): Promise<Readable | null> {
  const key = { accountId, sha256 }
  const sizeBytes = await findBlobSize(pool, key)
  if (sizeBytes === null) return null
  const bytes = await blobs.open(accountId, { sha256, sizeBytes }, range)
  if (bytes === null) await markBlobLost(pool, key)
  return bytes
}
