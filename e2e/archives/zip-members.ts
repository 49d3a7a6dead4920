// Reads the members of a .zip with their contents. For archives that fit into memory.
import { inflateRawSync } from 'node:zlib'

export interface ZipMember {
  name: string
  content: Buffer
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50

/** Throws if it isn't a complete archive. */
export function zipMembers(archive: Buffer): ZipMember[] {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]))
  if (end < 0 || archive.readUInt32LE(end) !== endSignature) throw new Error('there is no zip directory')
  const members: ZipMember[] = []
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== entrySignature) throw new Error('the zip directory is broken')
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((from) =>
      archive.readUInt16LE(at + from),
    )
    const name = archive.toString('utf8', at + 46, at + 46 + (nameLength as number))
    members.push({ name, content: contentOf(archive, at) })
    at += 46 + (nameLength as number) + (extraLength as number) + (commentLength as number)
  }
  return members
}

function contentOf(archive: Buffer, entry: number): Buffer {
  const [method, size, local] = [
    archive.readUInt16LE(entry + 10),
    archive.readUInt32LE(entry + 20),
    archive.readUInt32LE(entry + 42),
  ]
  const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
  const packed = archive.subarray(begin, begin + size)
  return method === 0 ? Buffer.from(packed) : inflateRawSync(packed)
}
