// The folder that sandboxes are made from: the child's program, an empty tree to mount a root in, and one folder per
// child for its sockets. Readable for the sandbox's own user; nothing of a job is ever written into it.

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
import { makeFolder, stageProgram } from './staged-program.ts'

const programFiles = [
  'compile',
  'console',
  'es-syntax',
  'main',
  'modules',
  'network',
  'request-methods',
  'size-of',
  'views',
] as const

/** Folders of the system that Node and the tools that start it need; a root of symlinks into /usr stays one. */
export const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']

export interface Stage {
  program: string
  root: string
  /** Of the system, to be mounted at the same place in the root. */
  mounts: readonly string[]
  /** Packages of a runtime that scripts may use, once there is one. */
  modules: string | null
  makeRunFolder(): string
  removeRunFolder(folder: string): void
  remove(): void
}

// A socket's path has at most 107 characters.
const maxBaseLength = 60

/** Removed by the next agent if this one is killed. */
export function makeBase(): string {
  const temporary = tmpdir().length > maxBaseLength ? '/tmp' : tmpdir()
  removeLeftovers(temporary)
  const base = mkdtempSync(join(temporary, `${ownPrefix()}${process.pid}-`))
  // Others may pass through, and see only what they know the name of.
  chmodSync(base, 0o711)
  return base
}

export async function prepareStage(): Promise<Stage> {
  const base = makeBase()
  try {
    const program = join(base, 'program')
    makeFolder(program, 0o755)
    const sources = fileURLToPath(new URL('./child', import.meta.url))
    await Promise.all(programFiles.map((name) => stageProgram(sources, name, program)))
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

/** Process ids mean something only within their namespace: containers may share a temporary folder. */
function ownPrefix(): string {
  try {
    return `vedette-sandbox-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]}-`
  } catch {
    return 'vedette-sandbox-'
  }
}

/** What agents left behind that were killed. Only our own: others may have put something there on purpose. */
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
