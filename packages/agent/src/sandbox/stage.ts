// The directory that sandboxes are built from: the child's program, the mount point of its root, and a directory per child for
// its sockets. Readable for the sandbox's user; no data of jobs is written into it.

import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorCode } from '@vedette/safeguards/errors'
import { removeTreeSync } from './remove-tree.ts'
import { makeFolder, stagePrograms } from './stage-programs.ts'

/** System directories that Node and the tools that start it need; links into /usr stay links. */
export const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']

export interface Stage {
  program: string
  root: string
  /** System directories, mounted under the same path in the root. */
  mounts: readonly string[]
  /** Packages of a runtime for scripts; null: none is installed yet. */
  modules: string | null
  makeRunFolder(): string
  removeRunFolder(folder: string): void
  remove(): void
}

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

export async function prepareStage(): Promise<Stage> {
  const base = makeBaseFolder()
  try {
    const program = join(base, 'program')
    makeFolder(program, 0o755)
    const sources = fileURLToPath(new URL('./child', import.meta.url))
    await stagePrograms(sources, program)
    makeFolder(join(base, 'runs'), 0o711)
    const root = join(base, 'root')
    return {
      program,
      root,
      mounts: makeRoot(root),
      modules: null,
      makeRunFolder() {
        const folder = mkdtempSync(join(base, 'runs', 'r'))
        chmodSync(folder, 0o711)
        return folder
      },
      removeRunFolder: (folder) => rmSync(folder, { recursive: true, force: true }),
      remove: () => removeTreeSync(base),
    }
  } catch (error) {
    rmSync(base, { recursive: true, force: true })
    throw error
  }
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
    removeTreeSync(path)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

function makeRoot(root: string): string[] {
  for (const folder of ['', 'dev', 'program', 'run', 'node_modules']) makeFolder(join(root, folder), 0o755)
  for (const file of ['node', 'dev/null', 'dev/urandom']) writeFileSync(join(root, file), '')
  return systemFolders.filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) symlinkSync(readlinkSync(path), join(root, path))
    else if (found) makeFolder(join(root, path), 0o755)
    return found?.isDirectory() === true
  })
}
