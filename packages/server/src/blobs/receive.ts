// Receives uploads: hashes and counts bytes while writing them to a temporary file.
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hourMs } from '@vedette/contracts'

export interface ReceivedBlob {
  sha256: string
  sizeBytes: number
  /** The temporary file, flushed to disk. */
  path: string
  /** Deletes the temporary file. */
  discard(): Promise<void>
}

export interface ReceiveLimits {
  maxBytes: number
  /** The expected hash. */
  sha256?: string
}

export interface Receiver {
  /** Throws a RefusedBytes or the error of the sender, and then leaves no file. */
  receive(bytes: AsyncIterable<Uint8Array>, limits: ReceiveLimits): Promise<ReceivedBlob>
  /** Deletes files that a killed server left. */
  sweep(now: number): Promise<void>
}

export class RefusedBytes extends Error {
  override name = 'RefusedBytes'
  readonly reason: 'too large' | 'hash mismatch' | 'disk full'

  constructor(reason: RefusedBytes['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** No upload takes that long without a byte. */
const abandonedAfterMs = hourMs

/** Bytes between two checks of the free space. */
const uncheckedBytes = 32 * 1024 * 1024

/** `hasFreeSpace`: whether the disk has more than its reserve. */
export function openReceiver(folder: string, hasFreeSpace: () => Promise<boolean>): Receiver {
  return {
    async receive(bytes, limits) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, randomUUID())
      const file = await open(path, 'wx', 0o600)
      const discard = () => rm(path, { force: true })
      try {
        const received = await write(file, bytes, limits, hasFreeSpace)
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
        const file = await stat(path).catch(() => null)
        if (file !== null && file.mtimeMs < now - abandonedAfterMs) await rm(path, { force: true })
      }
    },
  }
}

async function write(
  file: FileHandle,
  bytes: AsyncIterable<Uint8Array>,
  limits: ReceiveLimits,
  hasFreeSpace: () => Promise<boolean>,
) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  let checkedBytes = 0
  for await (const chunk of bytes) {
    if (sizeBytes >= checkedBytes) {
      if (!(await hasFreeSpace()))
        throw new RefusedBytes('disk full', 'the disk is full, except for its reserve')
      checkedBytes += uncheckedBytes
    }
    sizeBytes += chunk.length
    if (sizeBytes > limits.maxBytes) throw new RefusedBytes('too large', `more than ${limits.maxBytes} bytes`)
    hash.update(chunk)
    await file.appendFile(chunk)
  }
  const sha256 = hash.digest('hex')
  if (limits.sha256 !== undefined && limits.sha256 !== sha256)
    throw new RefusedBytes('hash mismatch', `the bytes have the SHA-256 ${sha256}`)
  await file.sync()
  return { sha256, sizeBytes }
}
