import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { requireTarGz } from './tar-gz.ts'

const megabyte = 1024 * 1024
/** The end of an empty archive, and more of the same. */
const zeros = (bytes: number) => gzipSync(Buffer.alloc(bytes))

async function passed(archive: Buffer, chunkBytes: number, maxUnpackedBytes: number): Promise<Buffer> {
  async function* chunks() {
    for (let at = 0; at < archive.length; at += chunkBytes) yield archive.subarray(at, at + chunkBytes)
  }
  return Buffer.concat(await Array.fromAsync(requireTarGz(chunks(), maxUnpackedBytes)))
}

describe('an archive that is received', () => {
  it.each([1, 7, 100_000])('passes through in pieces of %i bytes', async (chunkBytes) => {
    const archive = zeros(megabyte)
    expect(await passed(archive, chunkBytes, megabyte)).toEqual(archive)
  })

  it.each([
    ['in one member', zeros(megabyte + 1)],
    ['in several members', Buffer.concat([zeros(megabyte), zeros(megabyte)])],
  ])('is refused when it is too large unpacked, %s', async (_name, archive) => {
    await expect(passed(archive, 64, megabyte)).rejects.toThrow('is larger than 1 MB when it is unpacked')
  })
})
