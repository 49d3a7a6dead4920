import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Log } from '../../core/log.ts'

type Copy = { dir: string } | { failure: string }

const STAMP = 'vedette-copy-complete'

export function reachableDirectories(): string[] {
  return ['/var/lib/vedette', '/usr/local/lib/vedette', join(tmpdir(), 'vedette-root'), '/tmp/vedette-root']
}

/** Copies of the binaries in directories that every user can access, made on demand: the caller stops at the first that runs. */
export function* copyToReachable(
  native: string,
  directories: string[],
  link: (dir: string) => string | null,
  log: Log,
): Generator<Copy> {
  const id = createHash('sha256')
    .update(readFileSync(join(native, 'bin', 'postgres')))
    .digest('hex')
  const name = `postgres-${id.slice(0, 16)}`
  for (const base of directories) {
    const dir = join(base, name)
    try {
      mkdirSync(base, { recursive: true, mode: 0o755 })
      assertOurs(base)
      if (!isComplete(dir, id)) {
        copy(native, dir, base, id, link)
        log.info(`copied the PostgreSQL programs to ${dir}: the database's user cannot reach ${native}`)
      }
      yield { dir }
    } catch (error) {
      yield { failure: `${base}: ${errorMessage(error)}` }
    }
  }
}

function copy(
  native: string,
  dir: string,
  base: string,
  id: string,
  link: (dir: string) => string | null,
): void {
  const draft = mkdtempSync(join(base, '.draft-'))
  try {
    // linkLibraries expects a directory named `native`.
    const into = join(draft, 'native')
    cpSync(native, into, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
    const failure = link(into)
    if (failure) throw new Error(failure)
    openForReading(into)
    writeFileSync(join(into, STAMP), id)
    // A directory without a valid stamp is damaged; with one, another process has created it meanwhile.
    if (!isComplete(dir, id)) rmSync(dir, { recursive: true, force: true })
    try {
      renameSync(into, dir)
    } catch (error) {
      if (!isComplete(dir, id)) throw error
    }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** The installer's umask may have closed the files to others. */
function openForReading(path: string): void {
  const stat = lstatSync(path)
  if (stat.isSymbolicLink()) return
  chmodSync(path, stat.isDirectory() || stat.mode & 0o100 ? 0o755 : 0o644)
  if (stat.isDirectory()) for (const entry of readdirSync(path)) openForReading(join(path, entry))
}

function isComplete(dir: string, id: string): boolean {
  try {
    assertOurs(dir)
    return readFileSync(join(dir, STAMP), 'utf8') === id
  } catch {
    return false
  }
}

/** What another user could write to, root must not trust and run. */
function assertOurs(dir: string): void {
  const stat = lstatSync(dir)
  if (!stat.isDirectory() || stat.uid !== 0 || stat.mode & 0o022)
    throw new Error('not a directory that only root can write to')
}
