// Stores blobs in a directory: <account>/<two digits>/<sha256>. A file with this name is complete.
import { access, constants, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../storage/core/private-file.ts'
import type { BlobBackend } from './blob-backend.ts'

export function openDisk(folder: string): BlobBackend {
  const pathOf = (accountId: string, sha256: string) => join(folder, accountId, sha256.slice(0, 2), sha256)
  return {
    async put(accountId, received) {
      const path = pathOf(accountId, received.sha256)
      const created = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rename(received.path, path)
      syncFolder(dirname(path))
      // New directories must be flushed too: otherwise a power failure may lose them with the file.
      for (let parent = dirname(path); created !== undefined && parent.startsWith(created); ) {
        parent = dirname(parent)
        syncFolder(parent)
      }
    },
    async open(accountId, { sha256, sizeBytes }, range) {
      const file = await open(pathOf(accountId, sha256), 'r').catch(nullIfAbsent)
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

function nullIfAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
