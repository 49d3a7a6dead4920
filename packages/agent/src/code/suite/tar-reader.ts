// Reads a tar archive as a stream of entries. The caller validates them.
import { pipeline } from 'node:stream'
import { errorMessage } from '@vedette/safeguards/errors'
import { extract, type Header } from 'tar-stream'
import { BundleError } from './suite-errors.ts'

export interface TarEntry {
  /** Null: a type that tar-stream doesn't know. */
  type: Header['type'] | null
  name: string
  linkName: string
  size: number
  mode: number
  /** Read it completely, or not at all, before the next entry. */
  body: AsyncIterable<Buffer>
}

/** Archives of old tar programs have no magic bytes. */
const options = { highWaterMark: 64 * 1024, allowUnknownFormat: true }

export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const archive = extract(options)
  let sourceError: unknown
  // The iteration throws the error; without a callback it would be thrown a second time.
  pipeline(noteError(source), archive, () => undefined)
  for await (const entry of withBundleErrors(archive)) {
    const { type, name, linkname, size, mode } = entry.header
    // tar-stream waits forever for the content of an entry without a size.
    if (!Number.isSafeInteger(size) || size < 0)
      throw new BundleError(
        'The bundle has an entry without a valid size. Create the archive again and upload it.',
      )
    // The library's types don't declare its chunks.
    const body = withBundleErrors(entry as AsyncIterable<Buffer>)
    yield { type, name, linkName: linkname ?? '', size, mode, body }
    entry.resume()
  }

  async function* noteError(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* bytes
    } catch (error) {
      sourceError = error
      throw error
    }
  }

  async function* withBundleErrors<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* items
    } catch (error) {
      throw sourceError ?? damageError(error)
    }
  }
}

/** The second one: the archive ended before the body of the entry was read. */
const truncatedMessages = ['Unexpected end of data', 'Stream was destroyed']

function damageError(error: unknown): BundleError {
  const message = errorMessage(error)
  return new BundleError(
    truncatedMessages.includes(message)
      ? 'The bundle ends in the middle of an entry. Create the archive again and upload it.'
      : `The bundle isn't a tar archive, or it is damaged (${message}). Upload it again as a tar.gz archive.`,
  )
}
