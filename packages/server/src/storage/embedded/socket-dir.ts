import { chownSync, lstatSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Identity } from './identity.ts'
import { canTraverse, isRoot } from './identity.ts'
import { PORT } from './settings.ts'

const PREFIX = 'vedette-pg-'
// sun_path holds 108 bytes, the closing zero among them.
const LONGEST_SOCKET_PATH = 107

/** Creates a directory of this user with mode 0700, in the first parent that is accessible and short enough. */
export function makeSocketDir(identity: Identity): string {
  // Others cannot write to /run, and nothing there is cleared by age; but only root may use it.
  const directories = [...(isRoot() ? ['/run'] : []), tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
  const failures: string[] = []
  for (const directory of directories) {
    if (Buffer.byteLength(join(directory, `${PREFIX}XXXXXX`, `.s.PGSQL.${PORT}`)) > LONGEST_SOCKET_PATH) {
      failures.push(`${directory}: too long a path for a socket`)
      continue
    }
    try {
      if (isRoot() && !canTraverse(directory, identity)) {
        failures.push(`${directory}: closed to user id ${identity.uid}`)
        continue
      }
      const dir = mkdtempSync(join(directory, PREFIX))
      if (isRoot()) chownSync(dir, identity.uid, identity.gid)
      return dir
    } catch (error) {
      failures.push(`${directory}: ${errorMessage(error)}`)
    }
  }
  throw new Error(
    `No directory is suitable for PostgreSQL's socket. Set TMPDIR to a short, writable one.\n  ${failures.join('\n  ')}`,
  )
}

/** Only the names PostgreSQL makes: the path may come from a file that another user wrote. */
export function removeSocketDir(dir: string): void {
  if (!basename(dir).startsWith(PREFIX) || !lstatSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  for (const name of [`.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`]) rmSync(join(dir, name), { force: true })
  try {
    rmdirSync(dir)
  } catch {
    // Left to the system's cleaning of temporary folders.
  }
}
