// Bytes with random access, in a file or in memory. Small contents are never written to disk.
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface ByteSource extends AsyncDisposable {
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
export async function openFile(path: string): Promise<ByteSource & { links: number }> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const stats = await handle.stat()
  if (stats.isFile()) {
    return { ...fileSource(handle, path, stats.size, () => handle.close()), links: stats.nlink }
  }
  await handle.close()
  throw new Error("it isn't a regular file")
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
    [Symbol.asyncDispose]: close,
  }
}

export function memorySource(bytes: Buffer): ByteSource {
  const close = async () => undefined
  const read = async (at: number, length: number) => bytes.subarray(at, at + length)
  return { size: bytes.length, path: null, read, close, [Symbol.asyncDispose]: close }
}

const maxInMemory = 1024 * 1024

/** Collects bytes: in memory up to 1 MB, beyond that in a file. Nothing stays if the chunks throw. */
export async function spool(folder: string, chunks: AsyncIterable<Buffer>): Promise<ByteSource> {
  const path = join(folder, randomUUID())
  let held: Buffer[] = []
  let size = 0
  let file: FileHandle | null = null
  const discard = async () => {
    await file?.close()
    if (file) await rm(path, { force: true })
  }
  try {
    for await (const chunk of chunks) {
      held.push(chunk)
      size += chunk.length
      if (size <= maxInMemory) continue
      file ??= await open(path, 'wx+', 0o600)
      // From the current position, and all of it.
      await file.writeFile(Buffer.concat(held))
      held = []
    }
  } catch (error) {
    await discard()
    throw error
  }
  return file ? fileSource(file, path, size, discard) : memorySource(Buffer.concat(held))
}
