// Where the bytes of files lie: content-addressed, the same bytes once per account. Comes in: streams. Goes out: streams.
// Only this room touches blob files or the bucket; which blobs there are is said by the table `blobs` (keep-blob.ts).
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { BlobPlace } from './blob-place.ts'
import { bucketSettings } from './bucket-settings.ts'
import { openDisk } from './disk.ts'
import { openReceiver, type Receiver } from './receive.ts'
import { openS3 } from './s3.ts'

export interface BlobStore extends BlobPlace, Receiver {}

/** Backups take what lies in it. */
export function blobFolder(dataDir: string): string {
  return join(dataDir, 'artifacts')
}

export function openBlobStore(config: Config): BlobStore {
  const bucket = bucketSettings(config)
  const place = bucket === null ? openDisk(blobFolder(config.DATA_DIR)) : openS3(bucket)
  // Beside the folder, on the same disk: a rename puts a whole file in place, and backups hold no half ones.
  const incoming = `${blobFolder(config.DATA_DIR)}.incoming`
  return { ...place, ...openReceiver(incoming, () => hasRoom(incoming, config.DISK_RESERVE_PERCENT)) }
}

/** The rest is the database's: it ends with a full disk. */
async function hasRoom(folder: string, reservePercent: number): Promise<boolean> {
  const { bavail, blocks } = await statfs(folder)
  return bavail >= (blocks * reservePercent) / 100
}
