// At the fallback level nothing is mounted: a cell's user reads directories in their original location, if permissions allow.
import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const traverse = 0o001
const read = 0o005

/** Whether a cell's user can read the directory. Without root, cells run as the agent's own user. */
export function isReachable(folder: string): boolean {
  if (process.getuid?.() !== 0) return true
  let at = realpathSync(folder)
  let needed = read
  for (;;) {
    if ((statSync(at).mode & needed) !== needed) return false
    if (dirname(at) === at) return true
    at = dirname(at)
    needed = traverse
  }
}
