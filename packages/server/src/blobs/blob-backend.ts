import type { Readable } from 'node:stream'
import type { ReceivedBlob } from './receive.ts'

export interface ByteRange {
  start: number
  /** Inclusive. */
  end: number
}

/** A stored blob of an account. */
export interface KeptBlob {
  sha256: string
  sizeBytes: number
}

/** Stores blobs in a directory or a bucket. */
export interface BlobBackend {
  /** Atomic. An existing blob has the same content. */
  put(accountId: string, received: ReceivedBlob): Promise<void>
  /** Null: missing, or its size has changed. */
  open(accountId: string, blob: KeptBlob, range?: ByteRange): Promise<Readable | null>
  /** Does nothing if the blob is missing. */
  delete(accountId: string, sha256: string): Promise<void>
  /** Throws if the backend is unusable, with a message for the operator. */
  probe(): Promise<void>
  close(): void
}
