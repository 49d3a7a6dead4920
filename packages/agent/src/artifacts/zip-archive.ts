// Reads untrusted zip archives, and writes new ones, over byte sources.
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { errorMessage } from '@vedette/safeguards/errors'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { ZipFile as NewZip } from 'yazl'
import { type ByteSource, chunksOf, Spool } from './byte-source.ts'

/** The archive can't be read; the message says why. */
export class BadZip extends Error {
  override name = 'BadZip'
}

export interface OpenZip {
  members: Entry[]
  /** Throws a BadZip if the member is damaged, or larger than declared. */
  read(member: Entry): AsyncGenerator<Buffer>
}

export async function openZip(source: ByteSource, maxMembers: number): Promise<OpenZip> {
  try {
    const options = { lazyEntries: true, autoClose: false }
    const zip = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, options)
    if (zip.entryCount > maxMembers) throw new BadZip(`it has more than ${maxMembers} members`)
    const members: Entry[] = []
    for await (const member of zip.eachEntry()) members.push(member)
    return { members, read: (member) => readMember(zip, member) }
  } catch (error) {
    throw badZip(error)
  }
}

async function* readMember(zip: ZipFile, member: Entry): AsyncGenerator<Buffer> {
  let crc = 0
  try {
    for await (const chunk of await zip.openReadStreamPromise(member)) {
      crc = crc32(chunk, crc)
      yield chunk
    }
  } catch (error) {
    throw badZip(error)
  }
  if (crc !== member.crc32) throw new BadZip('a member is damaged')
}

const badZip = (error: unknown) =>
  error instanceof BadZip
    ? error
    : new BadZip(`it can't be unpacked: ${errorMessage(error)}`, { cause: error })

class SourceReader extends RandomAccessReader {
  readonly #source: ByteSource

  constructor(source: ByteSource) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(chunksOf(this.#source, start, end), { objectMode: false })
  }

  /** Without a stream for each header. */
  override read(...[into, offset, length, at, done]: Parameters<RandomAccessReader['read']>): void {
    this.#source.read(at, length).then((bytes) => {
      bytes.copy(into, offset)
      done(bytes.length < length ? new Error('it is incomplete') : null)
    }, done)
  }
}

export class ZipWriter {
  readonly #zip = new NewZip()
  readonly #out: Spool
  readonly #written: Promise<void>

  constructor(tempFolder: string) {
    this.#out = new Spool(tempFolder)
    this.#written = this.#out.take(Readable.from(this.#zip.outputStream))
    // Reported by the next call.
    this.#written.catch(() => undefined)
  }

  /** With the name and the content given here, and with time and compression of the other member. */
  async add(name: string, content: ByteSource, like: Pick<Entry, 'compressionMethod' | 'getLastModDate'>) {
    const options = { mtime: like.getLastModDate(), forceDosTimestamp: true }
    if (name.endsWith('/')) return this.#zip.addEmptyDirectory(name, options)
    const input = Readable.from(chunksOf(content), { objectMode: false })
    // Fast: most of a trace are images, which don't become smaller.
    const compressionLevel = like.compressionMethod === 0 ? 0 : 1
    this.#zip.addReadStream(input, name, { ...options, compressionLevel, size: content.size })
    await Promise.race([once(input, 'close'), this.#written])
  }

  async finish(): Promise<ByteSource> {
    this.#zip.end()
    await this.#written
    return this.#out.finish()
  }

  async discard(): Promise<void> {
    await this.#out.discard()
  }
}
