// One process per folder, by a lock of the operating system: it ends with its process, however that ended, and holds
// between containers that share a disk, where process ids mean nothing.
import { mkdirSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

export interface FolderLock {
  release(): Promise<void>
}

/** Null: another process has it. Throws when the folder can't be written. */
export async function lockFolder(folder: string): Promise<FolderLock | null> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const flock = await loadFlock()
  // Never deleted: two processes could then hold locks on two files of this name.
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

// choice: where the C library can't be called (no Linux, no macOS) there is no lock, and the documentation says so.
async function loadFlock(): Promise<Flock | null> {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return null
  const { default: koffi } = await import('koffi')
  return koffi.load(null).func('int flock(int, int)') as Flock
}

async function close(file: FileHandle): Promise<void> {
  await file.truncate().catch(() => undefined)
  await file.close()
}
