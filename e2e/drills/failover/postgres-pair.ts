// Debian's PostgreSQL as processes in a directory of the drill: one, or a primary and a standby with synchronous replication.
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../free-port.ts'
import { until } from '../fleet.ts'
import { end, launch, own, run } from './debian.ts'

const bin = '/usr/lib/postgresql/15/bin'
export const postgresProgram = `${bin}/postgres`

const user = 'vedette'
const database = 'vedette'

interface Access {
  user: string
  password: string
  database: string
}

export interface Pair extends Access {
  /** The primary's first. */
  ports: [number, number]
  /** SIGKILL for the primary and all its processes, as a machine that loses power. */
  killPrimary(): Promise<void>
  promoteStandby(): Promise<void>
  stop(): Promise<void>
}

export interface Single extends Access {
  port: number
  query<R extends pg.QueryResultRow>(text: string): Promise<R[]>
  stop(): Promise<void>
}

export async function startSingle(home: string): Promise<Single> {
  const { primaryDir, password, connection, start } = await initialize(home)
  const port = await freePort()
  const server = start(primaryDir, port, [])
  const target = { ...connection, port }
  await until('PostgreSQL responds', () => responds(target))
  await query(target, `create database ${database}`)
  return {
    user,
    password,
    database,
    port,
    query: (text) => query({ ...target, database }, text),
    stop: () => end(server, 'SIGQUIT'),
  }
}

export async function startPair(home: string): Promise<Pair> {
  const ports: [number, number] = [await freePort(), await freePort()]
  const { folder, primaryDir, password, connection, start } = await initialize(home)
  const standbyDir = join(folder, 'standby')
  // In the command line, so that the promoted standby doesn't inherit it and wait for a standby that it doesn't have.
  const synchronous = ['synchronous_commit=on', 'synchronous_standby_names=standby']
  const primary = start(primaryDir, ports[0], synchronous)
  await until('the primary responds', () => responds({ ...connection, port: ports[0] }))
  await run(
    `${bin}/pg_basebackup`,
    ['-h', '127.0.0.1', '-p', String(ports[0]), '-U', user, '-D', standbyDir, '-R'],
    {
      PGPASSWORD: password,
    },
  )
  const source = `host=127.0.0.1 port=${ports[0]} user=${user} password=${password} application_name=standby`
  const standby = start(standbyDir, ports[1], [`primary_conninfo=${source}`])
  await until('the standby replicates', () => isReplicated({ ...connection, port: ports[0] }))
  await query({ ...connection, port: ports[0] }, `create database ${database}`)
  return {
    user,
    password,
    database,
    ports,
    async killPrimary() {
      const children = childrenOf(primary)
      await end(primary, 'SIGKILL')
      for (const pid of children) killQuietly(pid)
    },
    promoteStandby: async () => void (await run(`${bin}/pg_ctl`, ['promote', '-D', standbyDir])),
    async stop() {
      await end(standby, 'SIGQUIT')
      await end(primary, 'SIGQUIT')
    },
  }
}

async function initialize(home: string) {
  const password = randomBytes(12).toString('hex')
  const folder = join(home, 'postgres')
  mkdirSync(folder)
  own(folder)
  const primaryDir = join(folder, 'primary')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  own(passwordFile)
  await run(`${bin}/initdb`, [
    ...['-D', primaryDir, '-U', user, '--pwfile', passwordFile],
    ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8'],
  ])
  const start = (dir: string, port: number, settings: string[]) =>
    launch(postgresProgram, [
      ...['-D', dir, '-p', String(port), '-h', '127.0.0.1', '-k', folder],
      ...[...settings, 'max_connections=200', 'logging_collector=on', 'log_min_messages=warning'].flatMap(
        (setting) => ['-c', setting],
      ),
    ])
  return { folder, primaryDir, password, connection: { host: '127.0.0.1', user, password }, start }
}

type Target = { host: string; port: number; user: string; password: string; database?: string }

async function query<T extends pg.QueryResultRow>(target: Target, text: string): Promise<T[]> {
  const client = new pg.Client({ database: 'postgres', ...target })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

const responds = (target: Target) =>
  query(target, 'select 1').then(
    () => true,
    () => false,
  )

async function isReplicated(target: Target): Promise<boolean> {
  const [row] = await query<{ total: number }>(
    target,
    `select count(*)::int as total from pg_stat_replication where sync_state = 'sync'`,
  )
  return row?.total === 1
}

/** Each has a session of its own, so a signal to the group doesn't reach it. */
function childrenOf({ pid }: ChildProcess): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === pid)
    .map(Number)
}

function parentOf(name: string): number | null {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with its parent.
  }
}
