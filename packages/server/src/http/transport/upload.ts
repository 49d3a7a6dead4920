// Streams a body of any size into the blob store, and maps its errors to responses.

import { ApiError } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import type { KeptBlob } from '../../blobs/blob-backend.ts'
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
    throw toApiError(error, limits)
  }
}

/** Refuses before the body is read if the client sends its length. */
export function refuseLarge(contentLength: string | undefined, maxBytes: number): void {
  if (contentLength !== undefined && Number(contentLength) > maxBytes) throw tooLarge(maxBytes)
}

/** The directory is read-only, owned by another user, or missing. */
const notWritable = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EEXIST', 'EIO'])

function toApiError(error: unknown, { maxBytes }: UploadLimits): unknown {
  if (error instanceof RefusedBytes) {
    if (error.reason === 'too large') return tooLarge(maxBytes)
    if (error.reason === 'disk full') return storageFull()
    return new ApiError('invalid_input', {
      message: `The body doesn't match the SHA-256 that was sent with it: ${error.message}.`,
      attributes: { sha256: error.message },
    })
  }
  if (error instanceof BucketError) return storageUnavailable(error)
  const code = errorCode(error)
  if (code === 'ENOSPC' || code === 'EDQUOT') return storageFull()
  return notWritable.has(code ?? '') ? storageUnavailable(error) : error
}

/** The cause is only logged. */
export function storageUnavailable(cause: unknown): ApiError {
  const error = new ApiError('unavailable', {
    message: 'The storage for files is not available. Try again later, or ask the operator to check it.',
  })
  error.cause = cause
  return error
}

function storageFull(): ApiError {
  return new ApiError('unavailable', {
    message: 'The storage for files is full. Ask the operator to free some space.',
  })
}

/** Existing clients read the number from the message. */
function tooLarge(maxBytes: number): ApiError {
  return new ApiError('body_too_large', {
    message: `The file is larger than ${maxBytes} bytes, the limit for this upload.`,
    attributes: { maxBytes },
  })
}
