import type { Readable } from 'node:stream'
import type { ReceivedBlob } from './receive.ts'

export interface ByteRange {
  start: number
  /** The last byte, included. */
  end: number
}

/** Where received bytes stay: a folder, or a bucket. */
export interface BlobPlace {
  /** All of it or nothing; what is there already is the same. */
  place(accountId: string, received: ReceivedBlob): Promise<void>
  /** Null: not there. */
  open(accountId: string, sha256: string, range?: ByteRange): Promise<Readable | null>
  /** Nothing, where there is nothing. */
  delete(accountId: string, sha256: string): Promise<void>
  close(): void
}
