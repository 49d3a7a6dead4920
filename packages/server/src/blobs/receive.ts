// Bytes on their way in: hashed and counted while they are written to a file that nobody takes for a blob.
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface ReceivedBlob {
  sha256: string
  sizeBytes: number
  /** On this machine, flushed to its disk. */
  path: string
  /** Whether it was placed or not. */
  discard(): Promise<void>
}

export interface ReceiveLimits {
  maxBytes: number
  /** What the bytes are said to be. */
  sha256?: string
}

export interface Receiver {
  /** Throws a RefusedBytes, or what the sender broke off with; then nothing is left. */
  receive(bytes: AsyncIterable<Uint8Array>, limits: ReceiveLimits): Promise<ReceivedBlob>
  /** What a killed server left. */
  sweep(now: number): Promise<void>
}

export class RefusedBytes extends Error {
  override name = 'RefusedBytes'
  readonly reason: 'too large' | 'other bytes' | 'no room'

  constructor(reason: RefusedBytes['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** No upload goes on for that long without a byte. */
const abandonedAfterMs = 3_600_000

/** How much comes in between two looks at the disk. */
const unseenBytes = 32 * 1024 * 1024

/** `hasRoom`: files take nothing of what the disk keeps for others. */
export function openReceiver(folder: string, hasRoom: () => Promise<boolean>): Receiver {
  return {
    async receive(bytes, limits) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, randomUUID())
      const file = await open(path, 'wx', 0o600)
      const discard = () => rm(path, { force: true })
      try {
        const received = await write(file, bytes, limits, hasRoom)
        return { ...received, path, discard }
      } catch (error) {
        await discard()
        throw error
      } finally {
        await file.close()
      }
    },
    async sweep(now) {
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name)
        const found = await stat(path).catch(() => null)
        if (found !== null && found.mtimeMs < now - abandonedAfterMs) await rm(path, { force: true })
      }
    },
  }
}

async function write(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
  hasRoom: () => Promise<boolean>,
) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let seenBytes = 0
  for await (const chunk of bytes) {
    if (sizeBytes >= seenBytes) {
      if (!(await hasRoom())) throw new RefusedBytes('no room', 'the disk is full but for its reserve')
      seenBytes += unseenBytes
    }
    sizeBytes += chunk.length
    if (sizeBytes > limits.maxBytes) throw new RefusedBytes('too large', `more than ${limits.maxBytes} bytes`)
    hash.update(chunk)
    await file.appendFile(chunk)
  }
  const sha256 = hash.digest('hex')
  if (limits.sha256 !== undefined && limits.sha256 !== sha256)
    throw new RefusedBytes('other bytes', `the bytes have the SHA-256 ${sha256}`)
  await file.sync()
  return { sha256, sizeBytes }
}
