// Content encodings undone. One that is not known is left as it came.
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'

/**
 * A job on the thread pool ends after this much output: however far a body explodes, no job holds a thread for longer
 * than a fraction of a millisecond. Input waits in memory up to the second limit before the network is slowed down.
 */
const limits = { chunkSize: 65_536, writableHighWaterMark: 262_144, readableHighWaterMark: 65_536 }

export function decoderFor(encoding: string, firstChunk: Buffer): Transform | null {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(limits)
    case 'deflate':
      // Some servers leave out zlib's header, whose low bits say 8.
      return ((firstChunk[0] ?? 0) & 0x0f) === 8 ? createInflate(limits) : createInflateRaw(limits)
    case 'br':
      return createBrotliDecompress(limits)
    default:
      return null
  }
}
