import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Log } from '../../core/log.ts'
import type { Binaries } from './binaries.ts'
import type { Identity } from './identity.ts'
import { canTraverse, DATABASE_UID, initdbIdentity, isRoot } from './identity.ts'
import { runInitdb } from './initdb.ts'
import { clusterDirOf } from './settings.ts'

/** Made in a draft that is renamed when whole: a start that dies halfway leaves nothing that looks like a cluster. */
export async function makeCluster(
  dataDir: string,
  password: string,
  binaries: Binaries,
  log: Log,
): Promise<void> {
  const dir = clusterDirOf(dataDir)
  log.info(`initialising PostgreSQL ${binaries.major} in ${dir}`)
  await initialise(dataDir, dir, password, binaries)
}

export function checkCluster(dataDir: string, binaries: Binaries): void {
  const dir = clusterDirOf(dataDir)
  const version = readVersion(dir)
  if (version === null)
    throw new Error(
      `${dir} holds something else than a PostgreSQL cluster (there is no PG_VERSION). Move it away, or set DATA_DIR to another folder.`,
    )
  if (version !== binaries.major)
    throw new Error(
      `${dir} was made by PostgreSQL ${version}, and this release brings ${binaries.major}, which cannot read it. ` +
        'Make a backup with the release that made it, move the folder away, and restore into a new one.',
    )
  if (!existsSync(join(dir, 'global', 'pg_control')))
    throw new Error(`${dir} is damaged (global/pg_control is missing). Move it away and restore a backup.`)
  // A backup that root copied back belongs to root, and PostgreSQL opens only what its own user owns.
  if (isRoot() && lstatSync(dir).uid === 0) giveAway(dir, 0, { uid: DATABASE_UID, gid: DATABASE_UID })
}

/**
 * The data directory argument of PostgreSQL. A user who can't traverse the parent directories can still access the working
 * directory through /proc, and all PostgreSQL processes stay in it.
 */
export function dataDirArgument(dir: string, identity: Identity): string {
  return isRoot() && !canTraverse(dir, identity) ? '/proc/self/cwd' : dir
}

async function initialise(dataDir: string, dir: string, password: string, binaries: Binaries): Promise<void> {
  const identity = isRoot() ? initdbIdentity() : null
  const draft = mkdtempSync(join(dataDir, 'postgres.new-'))
  const cwd = join(draft, 'cluster')
  const passwordFile = join(draft, 'password')
  try {
    mkdirSync(cwd, { mode: 0o700 })
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
    if (identity) for (const path of [draft, cwd, passwordFile]) handOver(path, identity, dataDir)
    const where = identity ? dataDirArgument(cwd, identity) : cwd
    // Relative to the cluster: initdb's user may not be able to traverse the parents of the draft.
    await runInitdb({
      program: binaries.initdb,
      where,
      cwd,
      passwordFile: `${where}/../password`,
      identity,
      dataDir,
    })
    if (identity) giveAway(cwd, identity.uid, { uid: DATABASE_UID, gid: DATABASE_UID })
    renameSync(cwd, dir)
    syncFolder(dataDir)
  } finally {
    rmSync(draft, { recursive: true, force: true, maxRetries: 3 })
  }
}

function handOver(path: string, { uid, gid }: Identity, dataDir: string): void {
  try {
    chownSync(path, uid, gid)
  } catch (cause) {
    throw new Error(
      `PostgreSQL refuses to run as root, and in ${dataDir} files cannot be given to another user (${errorMessage(cause)}). ` +
        'Start as an ordinary user, or set DATA_DIR to a folder on a local disk.',
      { cause },
    )
  }
}

/** An empty directory is removed. */
export function isAbsent(dir: string): boolean {
  if (!existsSync(dir)) return true
  try {
    if (readdirSync(dir).length > 0) return false
    rmdirSync(dir)
    return true
  } catch (cause) {
    throw new Error(
      `${dir} cannot be used: ${errorMessage(cause)}. Make it writable for this user, or remove it if it is empty.`,
      { cause },
    )
  }
}

function readVersion(dir: string): string | null {
  const path = join(dir, 'PG_VERSION')
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null
}

/** A start that died before its rename leaves its draft; names are unique, so an initdb that outlived it harms nothing. */
export function removeDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (name.startsWith('postgres.new-')) removeDraft(join(dataDir, name))
}

/** If that initdb removes one of its files meanwhile, Node's rmSync ends without an error and leaves the rest. */
function removeDraft(draft: string): void {
  for (let attempts = 0; attempts < 100 && existsSync(draft); attempts++)
    rmSync(draft, { recursive: true, force: true, maxRetries: 5 })
}

/** Only what `from` owns under one name: no user may lead root to give away a file linked in from elsewhere. */
function giveAway(path: string, from: number, to: Identity): void {
  const stat = lstatSync(path)
  if (stat.uid !== to.uid && (stat.uid !== from || (from !== 0 && stat.isFile() && stat.nlink > 1)))
    throw new Error(
      `${path} belongs to user id ${stat.uid}, or has a second name: it cannot be given to PostgreSQL's user. See to its owner first.`,
    )
  if (stat.isDirectory()) for (const name of readdirSync(path)) giveAway(join(path, name), from, to)
  // The directory last: if this start is killed, the next one continues.
  lchownSync(path, to.uid, to.gid)
}

function syncFolder(dir: string): void {
  const fd = openSync(dir, 'r')
  fsyncSync(fd)
  closeSync(fd)
}
