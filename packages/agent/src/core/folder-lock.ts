// One process per directory, by a lock of the operating system. The lock ends with its process, and it works between containers
// that share a disk, where process ids don't.
import { mkdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

export type FolderLock = NonNullable<Awaited<ReturnType<typeof lockFolder>>>

/** Null: another process holds the lock. Throws if the directory isn't writable. */
export async function lockFolder(folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const flock = await loadFlock()
  // Never deleted: otherwise two processes could lock two files of this name.
  const file = await open(join(folder, 'lock'), 'a', 0o600)
  if (flock && flock(file.fd, exclusive | withoutWaiting) !== 0) {
    await file.close()
    return null
  }
  await file.truncate()
  await file.write(`${process.pid}\n`)
  return { release: () => close(file) }
}

const exclusive = 2
const withoutWaiting = 4

type Flock = (fd: number, operation: number) => number

// choice: without the C library (neither Linux nor macOS) there is no lock. This is documented.
async function loadFlock(): Promise<Flock | null> {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return null
  const { default: koffi } = await import('koffi')
  return koffi.load(null).func('int flock(int, int)')
}

async function close(file: FileHandle): Promise<void> {
  await file.truncate().catch(() => undefined)
  await file.close()
}
