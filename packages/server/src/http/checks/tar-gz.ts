// Checks, by the first bytes of a stream, that it is a tar archive compressed with gzip.
import { constants, createGunzip } from 'node:zlib'
import { ApiError } from '@vedette/contracts'

/** Enough for the first tar header, however long the file name in the gzip header is. */
const headBytes = 64 * 1024
const blockBytes = 512

/** Passes the bytes through; throws a 400 if they are something else. */
export async function* requireTarGz(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = Buffer.alloc(0)
  for await (const chunk of bytes) {
    if (head === null) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < headBytes) continue
    await refuseOtherFormats(head)
    yield head
    head = null
  }
  if (head === null) return
  await refuseOtherFormats(head)
  yield head
}

async function refuseOtherFormats(head: Uint8Array): Promise<void> {
  if (head.length === 0) throw invalidArchive('is empty: send a tar archive compressed with gzip')
  if (head[0] !== 0x1f || head[1] !== 0x8b)
    throw invalidArchive('is not compressed with gzip: send a tar archive compressed with gzip')
  const block = await firstBlock(head).catch(() => {
    throw invalidArchive('cannot be decompressed: send a tar archive compressed with gzip')
  })
  if (!isTarHeader(block)) throw invalidArchive('is compressed with gzip, but does not contain a tar archive')
}

async function firstBlock(head: Uint8Array): Promise<Buffer> {
  // Z_SYNC_FLUSH: returns what can be decompressed although the stream is incomplete.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH })
  gunzip.end(head)
  const parts: Buffer[] = []
  let length = 0
  for await (const part of gunzip) {
    parts.push(part)
    length += part.length
    if (length >= blockBytes) break
  }
  return Buffer.concat(parts).subarray(0, blockBytes)
}

/** Checks the checksum. A block of zeros is the end of an empty archive. */
function isTarHeader(block: Buffer): boolean {
  if (block.length < blockBytes) return false
  if (block.every((byte) => byte === 0)) return true
  const expected = Number.parseInt(block.toString('latin1', 148, 156), 8)
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0)
  return expected === sum
}

function invalidArchive(problem: string): ApiError {
  return new ApiError('invalid_input', { message: `The body ${problem}.`, attributes: { body: problem } })
}
