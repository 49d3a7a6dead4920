// Archives for tests, made byte by byte: what no well-behaved tool would write is what matters.
import { gzipSync } from 'node:zlib'

export interface TarPart {
  name: string
  type?: string
  content?: string | Buffer
  linkName?: string
  mode?: number
  /** The size in the header, independent of the content. */
  size?: number
  /** Replaces the size field, as Latin-1. */
  sizeBytes?: string
  prefix?: string
  /** Whether the name is written as Latin-1 instead of UTF-8. */
  isLatin1?: boolean
}

export function tarBytes(parts: readonly TarPart[]): Buffer {
  return Buffer.concat([...parts.map(partBytes), Buffer.alloc(1024)])
}

export const bundleBytes = (parts: readonly TarPart[]): Buffer => gzipSync(tarBytes(parts))

/** A pax record before the entry that it speaks of. */
export function paxPart(values: Record<string, string>): TarPart {
  const records = Object.entries(values).map(([key, value]) => {
    const rest = ` ${key}=${value}\n`
    let length = Buffer.byteLength(rest) + 1
    while (Buffer.byteLength(`${length}${rest}`) !== length) length += 1
    return `${length}${rest}`
  })
  return { name: 'pax', type: 'x', content: records.join('') }
}

function partBytes({
  name,
  type = '0',
  content = '',
  linkName = '',
  mode = 0o644,
  size,
  sizeBytes = '',
  prefix = '',
  isLatin1 = false,
}: TarPart): Buffer {
  const body = Buffer.from(content)
  const header = Buffer.alloc(512)
  header.write(name, 0, 100, isLatin1 ? 'latin1' : 'utf8')
  header.write(`${(mode & 0o7777777).toString(8).padStart(7, '0')}\0`, 100)
  header.write(`${(size ?? body.length).toString(8).padStart(11, '0')}\0`, 124)
  header.write(sizeBytes, 124, 12, 'latin1')
  header.write('        ', 148)
  header.write(type, 156)
  header.write(linkName, 157, 100)
  header.write('ustar\x0000', 257)
  header.write(prefix, 345, 155)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, body, Buffer.alloc((512 - (body.length % 512)) % 512)])
}
