// A file that only reserves disk space. PostgreSQL needs space even to delete, and stops without it: on a full disk this
// file is deleted, so that old data can be dropped.
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Three segments of the write-ahead log. */
export const ballastBytes = 48 * 1024 * 1024

const fileOf = (dataDir: string) => join(dataDir, 'ballast')

/** Written, not only sized: a sparse file reserves no space. */
export async function takeBallast(dataDir: string): Promise<void> {
  if ((await sizeOf(dataDir)) >= ballastBytes) return
  const block = Buffer.alloc(1024 * 1024)
  const file = await open(fileOf(dataDir), 'w', 0o600)
  try {
    for (let written = 0; written < ballastBytes; written += block.length) await file.write(block)
  } catch (error) {
    await dropBallast(dataDir)
    throw error
  } finally {
    await file.close()
  }
}

/** Whether there was any. */
export async function dropBallast(dataDir: string): Promise<boolean> {
  const had = (await sizeOf(dataDir)) > 0
  await rm(fileOf(dataDir), { force: true })
  return had
}

async function sizeOf(dataDir: string): Promise<number> {
  return (await stat(fileOf(dataDir)).catch(() => null))?.size ?? 0
}
