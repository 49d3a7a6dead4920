// Detects the kind of a content by its first bytes, then by its name.

import { isUtf8 } from 'node:buffer'
import { constants, inflateSync } from 'node:zlib'
import { errorCode } from '@vedette/safeguards/errors'

export const sniffedBytes = 64 * 1024

const magics = [
  ['zip', 'PK\x03\x04'],
  ['zip', 'PK\x05\x06'],
  ['gzip', '\x1f\x8b'],
  ['png', '\x89PNG\r\n\x1a\n'],
  ['jpeg', '\xff\xd8\xff'],
  ['pdf', '%PDF-'],
  // Compressed in formats that aren't supported: bzip2, xz, zstd, 7z, rar, lz4, compress, cab.
  ['sealed', 'BZh'],
  ['sealed', '\xfd7zXZ\x00'],
  ['sealed', '\x28\xb5\x2f\xfd'],
  ['sealed', '7z\xbc\xaf\x27\x1c'],
  ['sealed', 'Rar!\x1a\x07'],
  ['sealed', '\x04\x22\x4d\x18'],
  ['sealed', '\x1f\x9d'],
  ['sealed', 'MSCF'],
] as const

export type ContentKind = (typeof magics)[number][0] | 'tar' | 'trace' | 'json' | 'html' | 'text' | 'binary'

/** choice: compressed by their name only (brotli has no magic bytes), or zip files with a prefix. */
const sealedNames = /\.(?:br|deflate|zlib|zz|lzma|zip|7z|rar|docx|xlsx|pptx|jar|odt)$/i

export function contentKind(head: Buffer, name: string): ContentKind {
  const begin = head.subarray(0, 300).toString('latin1')
  for (const [kind, magic] of magics) if (begin.startsWith(magic)) return kind
  if (begin.startsWith('ustar', 257)) return 'tar'
  if (head.length > 0 && (sealedNames.test(name) || isZlib(head))) return 'sealed'
  if (!isText(head)) return 'binary'
  if (/\.(?:trace|network|stacks|har)$/i.test(name)) return 'trace'
  if (/\.(?:json|jsonl|ndjson|webmanifest|map)$/i.test(name)) return 'json'
  if (/\.html?$/i.test(name)) return 'html'
  return 'text'
}

/** A text may begin with the two bytes of a zlib header ("x^"), but can't be inflated. */
function isZlib(head: Buffer): boolean {
  const [first = 0, second = 0] = head
  if ((first & 0x0f) !== 8 || first >> 4 > 7 || (first * 256 + second) % 31 !== 0) return false
  const inflated = inflateBegin(head, 64 * 1024 * 1024)
  return inflated !== null && inflated.length > 0
}

/** As far as the bytes are there. Null: zlib didn't compress them. */
export function inflateBegin(bytes: Buffer, maxOutputLength: number): Buffer | 'too large' | null {
  try {
    return inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength })
  } catch (error) {
    return errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : null
  }
}

function isText(head: Buffer): boolean {
  if (head.includes(0)) return false
  // The last character may be incomplete.
  const cuts = head.length < sniffedBytes ? [0] : [0, 1, 2, 3]
  return cuts.some((cut) => isUtf8(head.subarray(0, head.length - cut)))
}
