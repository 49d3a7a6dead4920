// Tar archives as streams of entries.
import { pipeline } from 'node:stream'
import { pipeline as finish } from 'node:stream/promises'
import { extract, type Pack, pack } from 'tar-stream'

export interface TarEntry {
  name: string
  size: number
  /** To be read to its end before the next entry. */
  content: AsyncIterable<Buffer>
}

export function writeTar(entries: AsyncIterable<TarEntry>): AsyncIterable<Buffer> {
  const archive = pack()
  writeEntries(archive, entries).catch((error) => archive.destroy(error))
  return toBuffers(archive)
}

async function writeEntries(archive: Pack, entries: AsyncIterable<TarEntry>): Promise<void> {
  const mtime = new Date()
  for await (const { name, size, content } of entries) {
    await finish(content, archive.entry({ name, size, mode: 0o600, mtime }))
  }
  archive.finalize()
}

/** Skips content that isn't read. Throws at the end of the source unless the archive is complete. */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const archive = extract()
  // The iteration throws the error; the callback only keeps it from being thrown a second time.
  pipeline(source, archive, () => undefined)
  for await (const entry of archive) {
    const { name, size } = entry.header
    yield { name, size, content: toBuffers(entry) }
    entry.resume()
  }
}

/** The library's streams carry only buffers; its types don't say so. */
async function* toBuffers(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('the stream has a chunk that is not a buffer')
    yield chunk
  }
}
