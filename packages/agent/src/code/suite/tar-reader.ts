// Reads a tar archive as a stream: ustar, pax and GNU's long names. It only reads; what may be done with an entry is up
// to the caller.
import { BundleError } from './bundle-error.ts'

type TarKind = 'file' | 'directory' | 'symlink' | 'hardlink' | 'other'

export interface TarEntry {
  kind: TarKind
  name: string
  linkName: string
  size: number
  mode: number
  /** To be read to its end, or not at all, before the next entry is asked for. */
  body: AsyncIterable<Buffer>
}

const blockBytes = 512
const maxHeaderBytes = 64 * 1024

export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteSource(source)
  let next: Overrides = {}
  for (;;) {
    const block = await bytes.take(blockBytes)
    if (block === null || block.every((byte) => byte === 0)) return
    const header = parseHeader(block)
    const { type } = header
    if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
      const text = await readText(bytes, header)
      // A global header says nothing that we need: git writes the commit into it.
      if (type === 'x') next = { ...next, ...parsePax(text, header.name) }
      if (type === 'L') next = { ...next, name: untilNul(text) }
      if (type === 'K') next = { ...next, linkName: untilNul(text) }
      continue
    }
    const { name, linkName, size, mode } = { ...header, ...next }
    next = {}
    const kind = kinds[type] ?? 'other'
    const length = kind === 'file' || kind === 'other' ? size : 0
    const body = bytes.chunks(length)
    yield { kind, name, linkName, size: length, mode, body }
    for await (const _rest of body);
    await bytes.skip(padding(length))
  }
}

type Overrides = Partial<Pick<TarEntry, 'name' | 'linkName' | 'size'>>

const kinds: Record<string, TarKind> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'directory',
}

interface Header {
  name: string
  linkName: string
  size: number
  mode: number
  type: string
}

function parseHeader(block: Buffer): Header {
  const checksum = octal(block, 148, 8)
  let sum = 8 * 0x20
  for (const [index, byte] of block.entries()) if (index < 148 || index >= 156) sum += byte
  if (sum !== checksum)
    throw new BundleError(
      "The bundle isn't a tar archive, or it is damaged. Upload it again as a tar.gz archive.",
    )
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0'
  const prefix = isPosix ? decode(field(block, 345, 155)) : ''
  const short = decode(field(block, 0, 100))
  return {
    name: prefix === '' ? short : `${prefix}/${short}`,
    linkName: decode(field(block, 157, 100)),
    size: sizeOf(block),
    mode: octal(block, 100, 8),
    type: String.fromCharCode(block[156] ?? 0),
  }
}

function field(block: Buffer, start: number, length: number): Buffer {
  const bytes = block.subarray(start, start + length)
  const end = bytes.indexOf(0)
  return end === -1 ? bytes : bytes.subarray(0, end)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new BundleError(
      `The bundle has a file name that isn't valid UTF-8 (${bytes.toString('latin1').slice(0, 200)}). Rename the file and upload the bundle again.`,
    )
  }
}

function octal(block: Buffer, start: number, length: number): number {
  const text = field(block, start, length).toString('latin1').trim()
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || '0', 8) : Number.NaN
}

/** Octal, or base 256 where the first bit says so. */
function sizeOf(block: Buffer): number {
  if (((block[124] ?? 0) & 0x80) === 0) return wholeSize(octal(block, 124, 12))
  let size = (block[124] ?? 0) & 0x7f
  for (let index = 125; index < 136; index++) size = size * 256 + (block[index] ?? 0)
  return wholeSize(size)
}

function wholeSize(size: number): number {
  if (!Number.isSafeInteger(size) || size < 0)
    throw new BundleError(
      'The bundle has an entry without a valid size. Create the archive again and upload it.',
    )
  return size
}

async function readText(bytes: ByteSource, { size, name }: Header): Promise<string> {
  if (size > maxHeaderBytes)
    throw new BundleError(
      `The bundle's header of ${name} is longer than ${maxHeaderBytes} bytes. Shorten the file name and upload the bundle again.`,
    )
  const text = await bytes.take(size)
  await bytes.skip(padding(size))
  if (text === null) throw ended()
  return decode(text)
}

/** Records of "length key=value\n", where the length counts itself. */
function parsePax(text: string, of: string): Overrides {
  const bytes = Buffer.from(text)
  const found: Overrides = {}
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = space === -1 ? 0 : Number(bytes.toString('latin1', at, space))
    const equals = bytes.indexOf(0x3d, space)
    const end = at + length
    if (!Number.isInteger(length) || length < 5 || end > bytes.length || equals === -1 || equals >= end)
      throw new BundleError(
        `The bundle's extended header of ${of} is damaged. Create the archive again and upload it.`,
      )
    const key = bytes.toString('utf8', space + 1, equals)
    const value = bytes.toString('utf8', equals + 1, end - 1)
    if (key === 'path') found.name = value
    if (key === 'linkpath') found.linkName = value
    if (key === 'size') found.size = wholeSize(/^\d+$/.test(value) ? Number(value) : Number.NaN)
    at = end
  }
  return found
}

const untilNul = (text: string) => text.split('\0', 1)[0] ?? ''
const padding = (size: number) => (blockBytes - (size % blockBytes)) % blockBytes
const ended = () =>
  new BundleError('The bundle ends in the middle of an entry. Create the archive again and upload it.')

class ByteSource {
  readonly #source: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Exactly that many bytes; null at the end. */
  async take(length: number): Promise<Buffer | null> {
    const parts: Buffer[] = []
    for await (const part of this.chunks(length, true)) parts.push(part)
    const all = Buffer.concat(parts)
    if (all.length === length) return all
    if (all.length > 0) throw ended()
    return null
  }

  async *chunks(length: number, mayEnd = false): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#source.next()
        if (done && mayEnd) return
        if (done) throw ended()
        this.#rest = value
        continue
      }
      const part = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async skip(length: number): Promise<void> {
    for await (const _part of this.chunks(length));
  }
}
