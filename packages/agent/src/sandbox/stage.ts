// The directory of an agent's temporary files.
import { chmodSync, lstatSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isAlive } from '../core/system.ts'
import { killNow, pidsOf, readProc } from './processes.ts'
import { removeTreeSync } from './remove-tree.ts'

// The path of a socket has at most 107 characters.
const maxBaseLength = 60

/** If this agent is killed, the next one removes it. */
export function makeBaseFolder(): string {
  const temporary = tmpdir().length > maxBaseLength ? '/tmp' : tmpdir()
  removeLeftovers(temporary)
  const base = mkdtempSync(join(temporary, `${ownPrefix()}${process.pid}-`))
  // Others can traverse it, but not list it.
  chmodSync(base, 0o711)
  return base
}

/** Containers may share a temporary directory: process ids are only valid within their namespace. */
function ownPrefix(): string {
  try {
    return `vedette-sandbox-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]}-`
  } catch {
    return 'vedette-sandbox-'
  }
}

/** Removes what killed agents left. Only directories of our own user: others could have created them on purpose. */
function removeLeftovers(temporary: string): void {
  const prefix = ownPrefix()
  for (const name of readdirSync(temporary)) {
    const owner = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-', 1)[0]) : Number.NaN
    const path = join(temporary, name)
    if (!Number.isInteger(owner) || isAlive(owner)) continue
    if (lstatSync(path, { throwIfNoEntry: false })?.uid !== process.getuid?.()) continue
    killStarting(path)
    removeTreeSync(path)
  }
}

/**
 * bubblewrap's first process waits for its parent to write the user map. If the parent is killed at that moment, it waits forever,
 * with the directory in its arguments.
 */
function killStarting(base: string): void {
  for (const pid of pidsOf('/proc')) {
    const [program = '', ...args] = readProc(`/proc/${pid}/cmdline`).split('\0')
    if (basename(program) !== 'bwrap' || !args.some((arg) => arg.startsWith(`${base}/`))) continue
    killNow(Number(pid))
  }
}
