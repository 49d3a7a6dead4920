// Without walls nothing is mounted: a cell's user finds things where they are, if every folder on the way lets others pass.
import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const pass = 0o001
const read = 0o005

/** A folder, by a cell's user. Cells of an agent that is not root are its own user's. */
export function isReachable(folder: string): boolean {
  if (process.getuid?.() !== 0) return true
  let at = realpathSync(folder)
  let needed = read
  for (;;) {
    if ((statSync(at).mode & needed) !== needed) return false
    if (dirname(at) === at) return true
    at = dirname(at)
    needed = pass
  }
}
