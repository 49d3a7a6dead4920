// Just enough of the zip format to change what a recorded archive holds.
import { crc32, inflateRawSync } from 'node:zlib'

/** The same archive with each text member as `change` makes it; nothing is compressed any more. */
export function rewriteZip(zip: Buffer, change: (name: string, text: string) => string): Buffer {
  const members = readMembers(zip).map(({ name, content }) => ({
    name: Buffer.from(name),
    content: /\.(trace|network|stacks)$/.test(name) ? Buffer.from(change(name, String(content))) : content,
  }))
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let at = 0
  for (const { name, content } of members) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(content.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, name, content])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, place, name]))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(entries)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, directory, end])
}

function readMembers(zip: Buffer): { name: string; content: Buffer }[] {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  const members = []
  let at = zip.readUInt32LE(end + 16)
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset))
    const name = zip.toString('utf8', at + 46, at + 46 + (nameLength ?? 0))
    const local = zip.readUInt32LE(at + 42)
    const begin = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const stored = zip.subarray(begin, begin + zip.readUInt32LE(at + 20))
    members.push({ name, content: zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(stored) : stored })
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (noteLength ?? 0)
  }
  return members
}
