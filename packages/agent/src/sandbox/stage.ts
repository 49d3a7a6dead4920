// The folder that sandboxes are made from: the child's program, an empty tree to mount a root in, and one folder per
// child for its sockets. Readable for the sandbox's own user; nothing of a job is ever written into it.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'

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
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']

export interface Stage {
  program: string
  root: string
  /** Of the system, to be mounted at the same place in the root. */
  mounts: readonly string[]
  makeRunFolder(): string
  removeRunFolder(folder: string): void
  remove(): void
}

// A socket's path has at most 107 characters.
const maxBaseLength = 60

export async function prepareStage(): Promise<Stage> {
  const temporary = tmpdir().length > maxBaseLength ? '/tmp' : tmpdir()
  removeLeftovers(temporary)
  const base = mkdtempSync(join(temporary, `${ownPrefix()}${process.pid}-`))
  try {
    // Others may pass through, and see only what they know the name of.
    chmodSync(base, 0o711)
    const program = join(base, 'program')
    makeFolder(program, 0o755)
    const sources = await Promise.all(programFiles.map(readProgram))
    for (const [index, source] of sources.entries()) {
      writeFileSync(join(program, `${programFiles[index]}.mjs`), source, { mode: 0o644 })
    }
    makeFolder(join(base, 'runs'), 0o711)
    const root = join(base, 'root')
    return {
      program,
      root,
      mounts: makeRoot(root),
      makeRunFolder() {
        const folder = mkdtempSync(join(base, 'runs', 'r'))
        chmodSync(folder, 0o711)
        return folder
      },
      removeRunFolder: (folder) => rmSync(folder, { recursive: true, force: true }),
      remove: () => rmSync(base, { recursive: true, force: true }),
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
    rmSync(path, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** A checkout has sources in TypeScript, a package has them compiled: the sandbox gets plain modules of one kind. */
async function readProgram(name: string): Promise<string> {
  const extension = extname(import.meta.url)
  const source = await readFile(new URL(`./child/${name}${extension}`, import.meta.url), 'utf8')
  const plain = extension === '.ts' ? stripTypeScriptTypes(source) : source
  return plain.replaceAll(/(from\s*'\.\/[\w-]+)\.[jt]s'/g, "$1.mjs'")
}

function makeRoot(root: string): string[] {
  for (const folder of ['', 'dev', 'program', 'run']) makeFolder(join(root, folder), 0o755)
  for (const file of ['node', 'dev/null', 'dev/urandom']) writeFileSync(join(root, file), '')
  return systemFolders.filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) symlinkSync(readlinkSync(path), join(root, path))
    else if (found) makeFolder(join(root, path), 0o755)
    return found?.isDirectory() === true
  })
}

/** Whatever the umask says. */
function makeFolder(path: string, mode: number): void {
  mkdirSync(path)
  chmodSync(path, mode)
}
