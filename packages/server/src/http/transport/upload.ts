// A body of any size on its way into the blob store: streamed, counted, and told what is wrong with it.

import { ApiError } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import type { KeptBlob } from '../../blobs/blob-place.ts'
import { BucketError } from '../../blobs/bucket-error.ts'
import { keepBlob } from '../../blobs/keep-blob.ts'
import { RefusedBytes } from '../../blobs/receive.ts'
import type { Deps } from './deps.ts'

export interface UploadLimits {
  maxBytes: number
  sha256?: string
}

export async function keepUpload(
  { store, blobs, clock }: Pick<Deps, 'store' | 'blobs' | 'clock'>,
  accountId: string,
  bytes: AsyncIterable<Uint8Array>,
  limits: UploadLimits,
): Promise<KeptBlob> {
  try {
    return await keepBlob({ pool: store.pool, blobs, now: clock.now() }, accountId, bytes, limits)
  } catch (error) {
    throw told(error, limits)
  }
}

/** Before anything is read, where the sender says how much it is. */
export function refuseLarge(contentLength: string | undefined, maxBytes: number): void {
  if (contentLength !== undefined && Number(contentLength) > maxBytes) throw tooLarge(maxBytes)
}

/** A folder that is read-only, somebody else's, or not there. */
const isNotWritable = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EEXIST', 'EIO'])

function told(error: unknown, { maxBytes }: UploadLimits): unknown {
  if (error instanceof RefusedBytes) {
    if (error.reason === 'too large') return tooLarge(maxBytes)
    if (error.reason === 'no room') return noRoom()
    return new ApiError('invalid_input', {
      message: `The body doesn't match the SHA-256 in its address: ${error.message}.`,
      attributes: { sha256: error.message },
    })
  }
  if (error instanceof BucketError) return storeIsAway(error)
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return noRoom()
  return isNotWritable.has(code ?? '') ? storeIsAway(error) : error
}

/** Logged with its cause, which is the operator's alone. */
export function storeIsAway(cause: unknown): ApiError {
  const error = new ApiError('unavailable', {
    message: 'The storage for files is not available. Try again later, or ask the operator to check it.',
  })
  error.cause = cause
  return error
}

function noRoom(): ApiError {
  return new ApiError('unavailable', {
    message: 'The storage for files is full. Ask the operator to free some space.',
  })
}

/** Existing clients read the number off the end. */
function tooLarge(maxBytes: number): ApiError {
  return new ApiError('body_too_large', {
    message: `The file is larger than ${maxBytes} bytes, the limit for this upload.`,
    attributes: { maxBytes },
  })
}
