// Bytes with random access, in a file or in memory. Small contents are never written to disk.
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface ByteSource {
  readonly size: number
  /** Returns fewer bytes than requested only at the end. */
  read(at: number, length: number): Promise<Buffer>
  /** Also removes temporary files. */
  close(): Promise<void>
  /** Null: in memory. */
  readonly path: string | null
}

const chunkBytes = 256 * 1024

export async function* chunksOf(source: ByteSource, from = 0, to = source.size): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const chunk = await source.read(at, Math.min(chunkBytes, to - at))
    if (chunk.length === 0) return
    at += chunk.length
    yield chunk
  }
}

/** A regular file. Links are never followed: the run could have created them. */
export async function openFile(path: string): Promise<ByteSource> {
  const handle = await openUnlinked(path)
  const { size } = await handle.stat()
  return fileSource(handle, path, size, () => handle.close())
}

export async function openUnlinked(path: string): Promise<FileHandle> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  if ((await handle.stat()).isFile()) return handle
  await handle.close()
  throw new Error("it isn't a regular file")
}

/** The caller closes the file. */
export function handleSource(handle: FileHandle, size: number): ByteSource {
  return fileSource(handle, '', size, async () => undefined)
}

function fileSource(handle: FileHandle, path: string, size: number, close: () => Promise<void>): ByteSource {
  return {
    size,
    path,
    async read(at, length) {
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - at)))
      let filled = 0
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, at + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return buffer.subarray(0, filled)
    },
    close,
  }
}

function memorySource(bytes: Buffer): ByteSource {
  return {
    size: bytes.length,
    path: null,
    read: async (at, length) => bytes.subarray(at, at + length),
    close: async () => undefined,
  }
}

const maxInMemory = 1024 * 1024

/** Collects bytes: in memory up to 1 MB, beyond that in a file. */
export class Spool {
  readonly #folder: string
  #chunks: Buffer[] = []
  #file: { handle: FileHandle; path: string } | null = null
  size = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  async write(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return
    this.size += chunk.length
    if (this.#file) return writeAll(this.#file.handle, chunk)
    this.#chunks.push(chunk)
    if (this.size > maxInMemory) await this.#spill()
  }

  async take(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) await this.write(chunk)
  }

  async finish(): Promise<ByteSource> {
    if (!this.#file) return memorySource(Buffer.concat(this.#chunks))
    const { handle, path } = this.#file
    return fileSource(handle, path, this.size, () => this.discard())
  }

  /** Always in a file, for callers that need a path. */
  async finishFile(): Promise<ByteSource> {
    if (!this.#file) await this.#spill()
    return this.finish()
  }

  async discard(): Promise<void> {
    this.#chunks = []
    const file = this.#file
    this.#file = null
    if (!file) return
    await file.handle.close()
    await rm(file.path, { force: true })
  }

  async #spill(): Promise<void> {
    const path = join(this.#folder, randomUUID())
    this.#file = { handle: await open(path, 'wx+', 0o600), path }
    await writeAll(this.#file.handle, Buffer.concat(this.#chunks))
    this.#chunks = []
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten
  }
}
