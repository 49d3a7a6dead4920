// Reads untrusted zip archives by their central directory. Refuses encryption, zip64 and methods other than stored and
// deflated.
import { pipeline, Readable } from 'node:stream'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { type ByteSource, chunksOf } from './byte-source.ts'

export interface ZipMember {
  name: string
  method: 0 | 8
  crc: number
  packedBytes: number
  bytes: number
  /** Time and date in DOS format. */
  time: number
  /** Offset of its local header. */
  at: number
}

/** The archive can't be read; the message says why. */
export class BadZip extends Error {
  override name = 'BadZip'
}

const [endMark, memberMark, localMark] = [0x06054b50, 0x02014b50, 0x04034b50]
const endBytes = 22
const maxCommentBytes = 0xffff
const maxDirectoryBytes = 16 * 1024 * 1024

export async function zipMembers(source: ByteSource, maxMembers: number): Promise<ZipMember[]> {
  const end = await endRecord(source)
  const [count, size, at] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)]
  if (count === 0xffff || at === 0xffffffff) throw new BadZip('zip64 is not supported')
  if (end.readUInt16LE(4) !== 0 || end.readUInt16LE(8) !== count) throw new BadZip('it is in several parts')
  if (count > maxMembers) throw new BadZip(`it has more than ${maxMembers} members`)
  if (size > maxDirectoryBytes || at + size > source.size) throw new BadZip('its directory is damaged')
  const directory = await source.read(at, size)
  const members: ZipMember[] = []
  for (let from = 0; members.length < count; ) {
    if (from + 46 > directory.length || directory.readUInt32LE(from) !== memberMark) {
      throw new BadZip('its directory is damaged')
    }
    const nameBytes = directory.readUInt16LE(from + 28)
    members.push(memberAt(directory, from, nameBytes))
    from += 46 + nameBytes + directory.readUInt16LE(from + 30) + directory.readUInt16LE(from + 32)
  }
  return members
}

async function endRecord(source: ByteSource): Promise<Buffer> {
  const tailAt = Math.max(0, source.size - endBytes - maxCommentBytes)
  const tail = await source.read(tailAt, source.size - tailAt)
  for (let at = tail.length - endBytes; at >= 0; at--) {
    const isEnd =
      tail.readUInt32LE(at) === endMark && at + endBytes + tail.readUInt16LE(at + 20) === tail.length
    if (isEnd) return tail.subarray(at)
  }
  throw new BadZip("it isn't a zip archive, or it is incomplete")
}

function memberAt(directory: Buffer, from: number, nameBytes: number): ZipMember {
  const flags = directory.readUInt16LE(from + 8)
  const method = directory.readUInt16LE(from + 10)
  const name = directory.toString('utf8', from + 46, from + 46 + nameBytes)
  if (flags & 0x1) throw new BadZip('it is encrypted')
  if (method !== 0 && method !== 8) throw new BadZip(`it is packed by method ${method}`)
  const [packedBytes, bytes] = [directory.readUInt32LE(from + 20), directory.readUInt32LE(from + 24)]
  const at = directory.readUInt32LE(from + 42)
  if ([packedBytes, bytes, at].includes(0xffffffff)) throw new BadZip('zip64 is not supported')
  if (method === 0 && packedBytes !== bytes) throw new BadZip('its directory is damaged')
  const [crc, time] = [directory.readUInt32LE(from + 16), directory.readUInt32LE(from + 12)]
  return { name, method, crc, packedBytes, bytes, time, at }
}

/** The offsets of a member's packed bytes. */
export async function packedRange(
  source: ByteSource,
  member: ZipMember,
): Promise<{ from: number; to: number }> {
  const local = await source.read(member.at, 30)
  if (local.length < 30 || local.readUInt32LE(0) !== localMark) throw new BadZip('a member is damaged')
  const from = member.at + 30 + local.readUInt16LE(26) + local.readUInt16LE(28)
  const to = from + member.packedBytes
  if (to > source.size) throw new BadZip('a member is damaged')
  return { from, to }
}

const smallBytes = 512 * 1024

/** The bytes of a member. `isExact`: the packed bytes contain nothing else. Throws if there are more bytes than declared. */
export async function* memberChunks(
  source: ByteSource,
  member: ZipMember,
  seen: { isExact: boolean },
): AsyncGenerator<Buffer> {
  const { from, to } = await packedRange(source, member)
  seen.isExact = true
  if (member.method === 0) return yield* chunksOf(source, from, to)
  if (member.packedBytes <= smallBytes && member.bytes <= smallBytes) {
    const { buffer, engine } = inflate(await source.read(from, member.packedBytes), member.bytes)
    seen.isExact = engine.bytesWritten === member.packedBytes
    return yield buffer
  }
  const stream = createInflateRaw()
  pipeline(Readable.from(chunksOf(source, from, to)), stream, () => undefined)
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes > member.bytes) throw new BadZip('a member is larger than declared')
      yield chunk
    }
  } catch (error) {
    throw error instanceof BadZip ? error : new BadZip('a member is damaged', { cause: error })
  }
  seen.isExact = stream.bytesWritten === member.packedBytes
}

interface Inflated {
  buffer: Buffer
  engine: { bytesWritten: number }
}

function isInflated(value: unknown): value is Inflated {
  return (
    typeof value === 'object' &&
    value !== null &&
    'buffer' in value &&
    Buffer.isBuffer(value.buffer) &&
    'engine' in value
  )
}

function inflate(packed: Buffer, bytes: number): Inflated {
  try {
    const options = { info: true, maxOutputLength: Math.max(1, bytes) }
    // The types don't declare `info`.
    const result: unknown = inflateRawSync(packed, options)
    if (!isInflated(result)) throw new Error('zlib returned no info')
    return result
  } catch (error) {
    throw new BadZip('a member is damaged', { cause: error })
  }
}
