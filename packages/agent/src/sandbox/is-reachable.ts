// Which paths of this machine a cell's user can reach, if the agent is root. Otherwise cells run as the agent's own user.
import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const traverse = 0o001
const read = 0o005

/** Whether a cell's user can read the directory: at the fallback level nothing is mounted. */
export function isReachable(folder: string): boolean {
  if (process.getuid?.() !== 0) return true
  return (statSync(folder).mode & read) === read && canBeMounted(folder)
}

/** Whether a cell's user can find the path, whatever its own permissions are. */
export function canBeMounted(path: string): boolean {
  if (process.getuid?.() !== 0) return true
  if (!existsSync(path)) throw new Error(`${path} doesn't exist`)
  for (let at = dirname(realpathSync(path)); ; at = dirname(at)) {
    if ((statSync(at).mode & traverse) === 0) return false
    if (dirname(at) === at) return true
  }
}
