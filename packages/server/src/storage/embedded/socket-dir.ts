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
  const places = [...(isRoot() ? ['/run'] : []), tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
  const failures: string[] = []
  for (const place of places) {
    if (Buffer.byteLength(join(place, `${PREFIX}XXXXXX`, `.s.PGSQL.${PORT}`)) > LONGEST_SOCKET_PATH) {
      failures.push(`${place}: too long a path for a socket`)
      continue
    }
    try {
      if (isRoot() && !canTraverse(place, identity)) {
        failures.push(`${place}: closed to user id ${identity.uid}`)
        continue
      }
      const dir = mkdtempSync(join(place, PREFIX))
      if (isRoot()) chownSync(dir, identity.uid, identity.gid)
      return dir
    } catch (error) {
      failures.push(`${place}: ${errorMessage(error)}`)
    }
  }
  throw new Error(
    `There is no place for PostgreSQL's private folder. Set TMPDIR to a short, writable one.\n  ${failures.join('\n  ')}`,
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
