import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Log } from '../../core/log.ts'
import type { Binaries } from './binaries.ts'
import type { Identity } from './identity.ts'
import { isRoot } from './identity.ts'
import { stopProcess } from './orphan.ts'
import { launch } from './postmaster.ts'
import { connectionTo, SUPERUSER } from './settings.ts'
import { makeSocketDir, removeSocketDir } from './socket-dir.ts'

export function readPassword(dataDir: string): string | null {
  const path = passwordPath(dataDir)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() || null : null
}

export function makePassword(dataDir: string): string {
  const password = randomBytes(24).toString('base64url')
  write(dataDir, password)
  return password
}

/**
 * A restored or mistreated data folder may lack the file. PostgreSQL is then started once without asking for a password,
 * on a socket that only its own user and root can reach. (Its single-user mode would need an entry in /etc/passwd.)
 */
export async function replacePassword(
  dataDir: string,
  binaries: Binaries,
  identity: Identity,
  log: Log,
): Promise<string> {
  log.info(`${passwordPath(dataDir)} is missing: setting a new password`)
  const socketDir = makeSocketDir(identity)
  const trust = join(socketDir, 'pg_hba.conf')
  try {
    writeFileSync(trust, 'local all all trust\n', { mode: 0o600 })
    if (isRoot()) chownSync(trust, identity.uid, identity.gid)
    const connection = connectionTo(socketDir, '')
    const { pid } = await launch({
      dataDir,
      connection,
      binaries,
      identity,
      log,
      extra: ['-c', `hba_file=${trust}`],
    })
    try {
      const client = new pg.Client({ ...connection, database: 'postgres' })
      await client.connect()
      const password = randomBytes(24).toString('base64url')
      await client
        .query(`alter role ${SUPERUSER} password ${client.escapeLiteral(password)}`)
        .finally(() => client.end())
      write(dataDir, password)
      return password
    } finally {
      await stopProcess(pid, dataDir)
    }
  } finally {
    rmSync(trust, { force: true })
    removeSocketDir(socketDir)
  }
}

function write(dataDir: string, password: string): void {
  const path = passwordPath(dataDir)
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  const fd = openSync(draft, 'wx', 0o600)
  writeSync(fd, `${password}\n`)
  fsyncSync(fd)
  closeSync(fd)
  renameSync(draft, path)
}

function passwordPath(dataDir: string): string {
  return join(dataDir, 'postgres-password')
}
