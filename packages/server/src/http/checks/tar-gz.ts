// Checks while a stream is received that it is a tar archive compressed with gzip, and not too large when it is unpacked.
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { createGunzip, type Gunzip } from 'node:zlib'
import { ApiError } from '@vedette/contracts'
import { maxUnpackedBundleBytes } from '@vedette/contracts/runs'

const blockBytes = 512
const remedy = 'send a tar archive compressed with gzip'

/** Passes the bytes through; throws a 400 if they are something else. */
export async function* requireTarGz(
  bytes: AsyncIterable<Uint8Array>,
  maxUnpackedBytes = maxUnpackedBundleBytes,
): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip()
  const { promise: refusal, reject: refuse } = Promise.withResolvers<never>()
  refusal.catch(() => undefined)
  let start: Buffer = Buffer.alloc(0)
  let unpackedBytes = 0
  gunzip.on('data', (part: Buffer) => {
    unpackedBytes += part.length
    if (unpackedBytes > maxUnpackedBytes)
      refuse(invalidArchive(`is larger than ${maxUnpackedBytes / 1024 / 1024} MB when it is unpacked`))
    if (start.length >= blockBytes) return
    start = Buffer.concat([start, part])
    if (start.length >= blockBytes && !isTarHeader(start)) refuse(notTar())
  })
  gunzip.on('error', () => refuse(invalidArchive(`cannot be decompressed: ${remedy}`)))
  let magic: Buffer = Buffer.alloc(0)
  try {
    for await (const chunk of bytes) {
      if (magic.length < 2) magic = requireGzip(Buffer.concat([magic, chunk]))
      await Promise.race([refusal, write(gunzip, chunk)])
      yield chunk
    }
    if (magic.length < 2) throw invalidArchive(`is empty: ${remedy}`)
    gunzip.end()
    await Promise.race([refusal, finished(gunzip)])
    if (start.length < blockBytes) throw notTar()
  } finally {
    gunzip.destroy()
  }
}

async function write(gunzip: Gunzip, chunk: Uint8Array): Promise<void> {
  if (!gunzip.write(chunk)) await once(gunzip, 'drain')
}

function requireGzip(head: Buffer): Buffer {
  const [first = 0x1f, second = 0x8b] = head
  if (first === 0x1f && second === 0x8b) return head.subarray(0, 2)
  throw invalidArchive(`is not compressed with gzip: ${remedy}`)
}

/** Checks the checksum. A block of zeros is the end of an empty archive. */
function isTarHeader(start: Buffer): boolean {
  const block = start.subarray(0, blockBytes)
  if (block.every((byte) => byte === 0)) return true
  const expected = Number.parseInt(block.toString('latin1', 148, 156), 8)
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0)
  return expected === sum
}

const notTar = () => invalidArchive('is compressed with gzip, but does not contain a tar archive')

function invalidArchive(problem: string): ApiError {
  return new ApiError('invalid_input', { message: `The body ${problem}.`, attributes: { body: problem } })
}
