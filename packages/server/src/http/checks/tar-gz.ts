// Whether bytes are a tar archive compressed with gzip, told by their beginning while they go through.
import { constants, createGunzip } from 'node:zlib'
import { ApiError } from '@vedette/contracts'

/** Enough for the header of the first entry, whatever name gzip's own header holds. */
const headBytes = 64 * 1024
const blockBytes = 512

/** The same bytes; throws a 400 once it is clear that they are something else. */
export async function* onlyTarGz(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | null = Buffer.alloc(0)
  for await (const chunk of bytes) {
    if (head === null) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < headBytes) continue
    await refuseOther(head)
    yield head
    head = null
  }
  if (head === null) return
  await refuseOther(head)
  yield head
}

async function refuseOther(head: Uint8Array): Promise<void> {
  if (head.length === 0) throw wrong('is empty: send a tar archive compressed with gzip')
  if (head[0] !== 0x1f || head[1] !== 0x8b)
    throw wrong('is not compressed with gzip: send a tar archive compressed with gzip')
  const block = await firstBlock(head).catch(() => {
    throw wrong('cannot be decompressed: send a tar archive compressed with gzip')
  })
  if (!isTarHeader(block)) throw wrong('is compressed with gzip, but does not contain a tar archive')
}

async function firstBlock(head: Uint8Array): Promise<Buffer> {
  // The rest is still to come: what can be had of the beginning is enough.
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

/** By the sum in it; a block of zeros ends an archive, here one without any file. */
function isTarHeader(block: Buffer): boolean {
  if (block.length < blockBytes) return false
  if (block.every((byte) => byte === 0)) return true
  const told = Number.parseInt(block.toString('latin1', 148, 156), 8)
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0)
  return told === sum
}

function wrong(what: string): ApiError {
  return new ApiError('invalid_input', { message: `The body ${what}.`, attributes: { body: what } })
}
