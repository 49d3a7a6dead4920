// Tar archives (POSIX ustar, pax for long names), written and read as streams.

export interface TarEntry {
  name: string
  size: number
  /** To be read to its end before the next entry. */
  content: AsyncIterable<Buffer>
}

class TarError extends Error {
  override name = 'TarError'
}

const block = 512
const largestSize = 8 ** 11 - 1

/** What stands before an entry's content. */
export function tarHeader(name: string, size: number, mtimeSeconds: number): Buffer {
  if (size > largestSize) throw new TarError(`${name} is too large for an archive: ${size} bytes.`)
  const split = splitName(name)
  if (split !== null) return header({ ...split, size, mtimeSeconds, type: '0' })
  const record = paxRecord('path', name)
  const pax = header({ prefix: '', name: 'long-name', size: record.length, mtimeSeconds, type: 'x' })
  const short = header({ prefix: '', name: 'long-name', size, mtimeSeconds, type: '0' })
  return Buffer.concat([pax, record, tarPadding(record.length), short])
}

/** What stands after it. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((block - (size % block)) % block)
}

export const tarEnd = Buffer.alloc(2 * block)

export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source)
  let longName: string | undefined
  try {
    for (;;) {
      const head = await bytes.take(block)
      if (head.every((byte) => byte === 0)) {
        await bytes.rest()
        return
      }
      const { name, size, type } = parseHeader(head)
      if (type === 'x') {
        longName = parsePath(await bytes.take(size))
      } else {
        const content = bytes.next(size)
        yield { name: longName ?? name, size, content }
        longName = undefined
        // What nobody wanted is passed over.
        for await (const _ of content);
      }
      await bytes.take(tarPadding(size).length)
    }
  } finally {
    await bytes.close()
  }
}

interface Header {
  prefix: string
  name: string
  size: number
  mtimeSeconds: number
  type: string
}

function header({ prefix, name, size, mtimeSeconds, type }: Header): Buffer {
  const bytes = Buffer.alloc(block)
  bytes.write(name, 0)
  bytes.write('0000600\0', 100)
  bytes.write('0000000\0', 108)
  bytes.write('0000000\0', 116)
  bytes.write(`${octal(size, 11)}\0`, 124)
  bytes.write(`${octal(mtimeSeconds, 11)}\0`, 136)
  bytes.write(type, 156)
  bytes.write('ustar\x0000', 257, 'latin1')
  bytes.write(prefix, 345)
  bytes.write(`${octal(checksum(bytes), 6)}\0 `, 148)
  return bytes
}

function splitName(name: string): { prefix: string; name: string } | null {
  if (Buffer.byteLength(name) <= 100) return { prefix: '', name }
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) {
    const parts = { prefix: name.slice(0, at), name: name.slice(at + 1) }
    if (Buffer.byteLength(parts.prefix) <= 155 && Buffer.byteLength(parts.name) <= 100 && parts.name)
      return parts
  }
  return null
}

/** "27 path=some/long/name\n": the length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`
  let length = Buffer.byteLength(rest)
  while (String(length).length + Buffer.byteLength(rest) !== length) {
    length = String(length).length + Buffer.byteLength(rest)
  }
  return Buffer.from(`${length}${rest}`)
}

function parsePath(record: Buffer): string {
  const path = /^\d+ path=(.*)\n$/s.exec(record.toString())?.[1]
  if (path === undefined) throw new TarError('The archive holds a header of an unknown kind.')
  return path
}

function parseHeader(head: Buffer): { name: string; size: number; type: string } {
  const text = (from: number, length: number) => {
    const field = head.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.subarray(0, end < 0 ? length : end).toString()
  }
  if (Number.parseInt(text(148, 8), 8) !== checksum(head))
    throw new TarError('The archive is damaged, or not a tar.')
  const prefix = text(345, 155)
  const size = Number.parseInt(text(124, 12), 8)
  if (!Number.isSafeInteger(size) || size < 0)
    throw new TarError('The archive is damaged: an entry has no size.')
  return { name: prefix ? `${prefix}/${text(0, 100)}` : text(0, 100), size, type: text(156, 1) }
}

/** With the field of the checksum itself taken as blanks. */
function checksum(head: Buffer): number {
  return head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0)
}

function octal(value: number, digits: number): string {
  return Math.floor(value).toString(8).padStart(digits, '0')
}

class ByteReader {
  private readonly source: AsyncIterator<Buffer>
  private buffered: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]()
  }

  /** At least one byte, at most `limit`. */
  async some(limit: number): Promise<Buffer> {
    while (this.buffered.length === 0) {
      const { value, done } = await this.source.next()
      if (done) throw new TarError('The archive is cut off.')
      this.buffered = value
    }
    const chunk = this.buffered.subarray(0, limit)
    this.buffered = this.buffered.subarray(chunk.length)
    return chunk
  }

  async *next(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      const chunk = await this.some(left)
      left -= chunk.length
      yield chunk
    }
  }

  /** After the first block of zeros: a second one, and the end of the source. */
  async rest(): Promise<void> {
    const second = await this.take(block)
    if (second.some((byte) => byte !== 0)) throw new TarError('The archive is damaged at its end.')
    if (this.buffered.some((byte) => byte !== 0)) throw new TarError('Something follows the archive.')
    for (;;) {
      const { value, done } = await this.source.next()
      if (done) return
      if (value.some((byte: number) => byte !== 0)) throw new TarError('Something follows the archive.')
    }
  }

  async close(): Promise<void> {
    await this.source.return?.()
  }

  async take(size: number): Promise<Buffer> {
    const chunks: Buffer[] = []
    for (let left = size; left > 0; ) {
      const chunk = await this.some(left)
      chunks.push(chunk)
      left -= chunk.length
    }
    return Buffer.concat(chunks)
  }
}
