// Bytes in, a blob of the account out: kept once, however many send them at the same time.

import type { Readable } from 'node:stream'
import type { Pool } from '../storage/core/db.ts'
import { claimBlob, findBlobSize, markBlobLost, markBlobStored } from '../storage/results/blobs.ts'
import type { ByteRange, KeptBlob } from './blob-place.ts'
import type { BlobStore } from './blob-store.ts'
import type { ReceiveLimits } from './receive.ts'

export interface KeepBlobDeps {
  pool: Pool
  blobs: BlobStore
  now: number
}

/** Throws a RefusedBytes. Something has to refer to it within the hour. */
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
    // The row first: whoever deletes such bytes at this moment is done with it before ours are put in place.
    const { isStored } = await claimBlob(pool, { ...key, sizeBytes }, now)
    if (!isStored) {
      await blobs.place(accountId, received)
      if (!(await markBlobStored(pool, key))) throw new Error('The blob was given up while it was placed')
    }
    return { sha256, sizeBytes }
  } finally {
    await received.discard()
  }
}

/** Null: the bytes are not there, or not all of them. Should they have been, the next upload brings them back. */
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
