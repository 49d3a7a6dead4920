// Reads untrusted zip archives, and writes new ones, over byte sources.
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { errorMessage, toError } from '@vedette/safeguards/errors'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { ZipFile as NewZip } from 'yazl'
import { type ByteSource, chunksOf, spool } from './byte-source.ts'
import { LeftOut } from './transform.ts'

/** Throws a LeftOut if the archive can't be read. */
export async function openZip(source: ByteSource, maxMembers: number) {
  try {
    const options = { lazyEntries: true, autoClose: false }
    const zip = await fromRandomAccessReaderPromise(new SourceReader(source), source.size, options)
    if (zip.entryCount > maxMembers) throw new LeftOut(`it has more than ${maxMembers} members`)
    const members: Entry[] = []
    for await (const member of zip.eachEntry()) members.push(member)
    return { members, read: (member: Entry) => readMember(zip, member) }
  } catch (error) {
    throw leftOut(error)
  }
}

/** Throws a LeftOut if the member is damaged, or larger than declared. */
async function* readMember(zip: ZipFile, member: Entry): AsyncGenerator<Buffer> {
  let crc = 0
  try {
    for await (const chunk of await zip.openReadStreamPromise(member)) {
      crc = crc32(chunk, crc)
      yield chunk
    }
  } catch (error) {
    throw leftOut(error)
  }
  if (crc !== member.crc32) throw new LeftOut('a member is damaged')
}

const leftOut = (error: unknown) =>
  error instanceof LeftOut
    ? error
    : new LeftOut(`it can't be unpacked: ${errorMessage(error)}`, { cause: error })

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

/** With time and compression of another member. */
type AddMember = (
  name: string,
  content: ByteSource,
  like: Pick<Entry, 'compressionMethod' | 'getLastModDate'>,
) => Promise<void>

/** A new archive of the members that `addMembers` adds. */
export async function writeZip(
  tempFolder: string,
  addMembers: (add: AddMember) => Promise<void>,
): Promise<ByteSource> {
  const zip = new NewZip()
  const out = zip.outputStream.pipe(new PassThrough())
  const written = spool(tempFolder, out)
  // Reported by the next member.
  written.catch(() => undefined)
  try {
    await addMembers(async (name, content, like) => {
      const options = { mtime: like.getLastModDate(), forceDosTimestamp: true }
      if (name.endsWith('/')) return zip.addEmptyDirectory(name, options)
      const input = Readable.from(chunksOf(content), { objectMode: false })
      // Fast: most of a trace are images, which don't become smaller.
      const compressionLevel = like.compressionMethod === 0 ? 0 : 1
      zip.addReadStream(input, name, { ...options, compressionLevel, size: content.size })
      await Promise.race([once(input, 'close'), written])
    })
  } catch (error) {
    out.destroy(toError(error))
    await written.catch(() => undefined)
    throw error
  }
  zip.end()
  return written
}
