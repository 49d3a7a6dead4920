// Blobs in a folder of this machine: <account>/<two digits>/<sha256>. A file that bears its hash is whole.
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder } from '../storage/private-file.ts'
import type { BlobPlace } from './blob-place.ts'

export function openDisk(folder: string): BlobPlace {
  const pathOf = (accountId: string, sha256: string) => join(folder, accountId, sha256.slice(0, 2), sha256)
  return {
    async place(accountId, received) {
      const path = pathOf(accountId, received.sha256)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await rename(received.path, path)
      syncFolder(dirname(path))
    },
    async open(accountId, sha256, range) {
      const file = await open(pathOf(accountId, sha256), 'r').catch(absent)
      return file?.createReadStream({ ...range, highWaterMark: 256 * 1024 }) ?? null
    },
    async delete(accountId, sha256) {
      await rm(pathOf(accountId, sha256), { force: true })
    },
    close() {},
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}
