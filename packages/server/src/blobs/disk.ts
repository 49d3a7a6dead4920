// Blobs in a folder of this machine: <account>/<two digits>/<sha256>. A file that bears its hash is whole.
import { access, constants, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../storage/core/private-file.ts'
import type { BlobPlace } from './blob-place.ts'

export function openDisk(folder: string): BlobPlace {
  const pathOf = (accountId: string, sha256: string) => join(folder, accountId, sha256.slice(0, 2), sha256)
  return {
    async place(accountId, received) {
      const path = pathOf(accountId, received.sha256)
      const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rename(received.path, path)
      syncFolder(dirname(path))
      // A folder of which the one above knows nothing yet would be gone after a loss of power, and the file with it.
      for (let at = dirname(path); made !== undefined && at.startsWith(made); ) {
        at = dirname(at)
        syncFolder(at)
      }
    },
    async open(accountId, { sha256, sizeBytes }, range) {
      const file = await open(pathOf(accountId, sha256), 'r').catch(absent)
      if (file === null) return null
      if ((await file.stat()).size === sizeBytes)
        return file.createReadStream({ ...range, highWaterMark: 256 * 1024 })
      await file.close()
      return null
    },
    async delete(accountId, sha256) {
      await rm(pathOf(accountId, sha256), { force: true })
    },
    async probe() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    },
    close() {},
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
