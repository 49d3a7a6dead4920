// Content-addressed storage for the bytes of files, once per account. Only this directory accesses blob files and the bucket; table
// `blobs` lists the blobs (keep-blob.ts).
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { BlobBackend } from './blob-backend.ts'
import { bucketSettings } from './bucket-settings.ts'
import { openDisk } from './disk.ts'
import { openReceiver, type Receiver } from './receive.ts'
import { openS3 } from './s3.ts'

export interface BlobStore extends BlobBackend, Receiver {}

/** Included in backups. */
export function blobFolder(dataDir: string): string {
  return join(dataDir, 'artifacts')
}

export function openBlobStore(config: Config): BlobStore {
  const bucket = bucketSettings(config)
  const backend = bucket === null ? openDisk(blobFolder(config.DATA_DIR)) : openS3(bucket)
  // On the same disk, so that a rename is atomic; outside of the directory, so that backups contain no partial files.
  const incoming = `${blobFolder(config.DATA_DIR)}.incoming`
  return { ...backend, ...openReceiver(incoming, () => hasFreeSpace(incoming, config.DISK_RESERVE_PERCENT)) }
}

/** The reserve is for the database, which fails on a full disk. */
async function hasFreeSpace(folder: string, reservePercent: number): Promise<boolean> {
  const { bavail, blocks } = await statfs(folder)
  return bavail >= (blocks * reservePercent) / 100
}
