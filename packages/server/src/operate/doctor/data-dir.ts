import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Finding } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Config } from '../../config.ts'

const subject = 'Data directory'

export function checkDataDir(dataDir: string): Finding {
  const existing = nearestExisting(dataDir)
  // Root and a read-only file system don't show in the mode of the directory.
  const probe = join(existing, `.vedette-doctor.${process.pid}`)
  try {
    if (!statSync(existing).isDirectory()) return refused(dataDir, `${existing} isn't a directory`)
    writeFileSync(probe, '')
    if (existing !== dataDir) {
      return { subject, level: 'ok', message: `${dataDir} is created at the first start.` }
    }
    if ((statSync(dataDir).mode & 0o007) === 0) {
      return { subject, level: 'ok', message: `${dataDir} is writable.` }
    }
  } catch (error) {
    return refused(dataDir, errorMessage(error))
  } finally {
    removeQuietly(probe)
  }
  const message = `Other users of this machine can read ${dataDir}.`
  return { subject, level: 'warning', message, fix: `chmod o-rwx ${dataDir}` }
}

/** With less than DISK_RESERVE_PERCENT the server deletes the oldest details. */
export async function checkDiskSpace({ DATA_DIR, DISK_RESERVE_PERCENT }: Config): Promise<Finding[]> {
  const subject = 'Disk space'
  const space = await statfs(nearestExisting(DATA_DIR)).catch(() => null)
  // Some virtual file systems have no size.
  if (space === null || space.blocks === 0) return []
  const { bavail, blocks, bsize } = space
  const percent = (bavail / blocks) * 100
  const message = `${((bavail * bsize) / 1e9).toFixed(1)} GB (${percent.toFixed(0)} %) free for ${DATA_DIR}.`
  const fix = 'Free some space, or lower RESULT_RETENTION_DAYS and DETAIL_RETENTION_DAYS.'
  if (percent < 1) return [{ subject, level: 'problem', message, fix }]
  return [
    percent < DISK_RESERVE_PERCENT
      ? { subject, level: 'warning', message, fix }
      : { subject, level: 'ok', message },
  ]
}

function refused(dataDir: string, reason: string): Finding {
  return {
    subject,
    level: 'problem',
    message: `${dataDir} can't be used: ${reason}. The server can't start.`,
    fix: 'Run this command as the user of the server, give that user the directory (chown -R), or set DATA_DIR to another one.',
  }
}

function nearestExisting(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestExisting(dirname(path))
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // It was never created.
  }
}
