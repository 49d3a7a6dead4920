import type { Readable } from 'node:stream'
import type { ReceivedBlob } from './receive.ts'

export interface ByteRange {
  start: number
  /** The last byte, included. */
  end: number
}

/** Bytes that an account has. */
export interface KeptBlob {
  sha256: string
  sizeBytes: number
}

/** Where received bytes stay: a folder, or a bucket. */
export interface BlobPlace {
  /** All of it or nothing; what is there already is the same. */
  place(accountId: string, received: ReceivedBlob): Promise<void>
  /** Null: not there, or no longer as long as it was. */
  open(accountId: string, blob: KeptBlob, range?: ByteRange): Promise<Readable | null>
  /** Nothing, where there is nothing. */
  delete(accountId: string, sha256: string): Promise<void>
  /** Throws what is wrong with the place, in words for the operator. */
  probe(): Promise<void>
  close(): void
}
