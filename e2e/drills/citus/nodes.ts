// PostgreSQL servers with the extension Citus, in a directory of their own: a coordinator and two workers.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../free-port.ts'
import { installNewest } from '../failover/debian.ts'
import { until } from '../fleet.ts'

/** The extension isn't available: the message says how to get it. */
export class NoExtension extends Error {
  override name = 'NoExtension'
}

interface Node {
  port: number
  url(database: string): string
  start(): Promise<void>
  /** Ends its processes at once, as a machine that fails does. */
  kill(): Promise<void>
  /** CPU of all its processes so far, in milliseconds. */
  cpuMs(): number
}

export interface Nodes {
  coordinator: Node
  workers: Node[]
  /** Creates a database on all nodes and connects them; with `single`, on the coordinator alone, which has the shards. */
  createCluster(database: string, kind: 'all' | 'single'): Promise<void>
  stop(): Promise<void>
}

const debianDir = '/usr/lib/postgresql'

/** `archive`: files of the extension from the root directory on; without it, an installed one is used. */
export async function startNodes(home: string, archive: string | undefined): Promise<Nodes> {
  chmodSync(home, 0o755)
  const bin = archive === undefined ? findInstalled() : unpack(home, archive)
  const user = unprivilegedUser()
  const nodes: Node[] = []
  for (const name of ['coordinator', 'worker-1', 'worker-2']) {
    const node = await createNode(join(home, name), bin, user)
    nodes.push(node)
    await node.start()
  }
  const [coordinator, ...workers] = nodes
  if (coordinator === undefined) throw new Error('there is no coordinator')
  const run = (node: Node, database: string, ...statements: string[]) =>
    query(bin, node.url(database), statements)
  return {
    coordinator,
    workers,
    async createCluster(database, kind) {
      const members = kind === 'all' ? nodes : [coordinator]
      for (const node of members) {
        await run(node, 'postgres', `create database ${database}`)
        await run(node, database, 'create extension citus')
      }
      await run(coordinator, database, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`)
      for (const { port } of members.slice(1)) {
        await run(coordinator, database, `select citus_add_node('127.0.0.1', ${port})`)
      }
      if (kind === 'all') return
      await run(
        coordinator,
        database,
        `select citus_set_node_property('127.0.0.1', ${coordinator.port}, 'shouldhaveshards', true)`,
      )
      // Tests clone it, which needs a database that nothing is connected to.
      await run(
        coordinator,
        'postgres',
        `alter database ${database} allow_connections false`,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
      )
    },
    async stop() {
      for (const node of nodes) await node.kill()
    },
  }
}

function findInstalled(): string {
  const versions = existsSync(debianDir) ? readdirSync(debianDir).sort().reverse() : []
  const version = versions.find((name) => existsSync(join(debianDir, name, 'lib', 'citus.so')))
  if (version !== undefined) return join(debianDir, version, 'bin')
  throw new NoExtension(
    'The extension Citus is not installed. Install PostgreSQL and Citus 13 as docs.citusdata.com says, ' +
      'or set CITUS_ARCHIVE to a .tar.gz with its files from the root directory on, built for the installed PostgreSQL of Debian.',
  )
}

/** PostgreSQL finds its files relative to its program, so a copy has extensions of its own. */
function unpack(home: string, archive: string): string {
  if (!existsSync(archive)) throw new NoExtension(`CITUS_ARCHIVE: ${archive} does not exist.`)
  const version = /postgresql\/(\d+)\/lib\/citus\.so/.exec(
    execFileSync('tar', ['tzf', archive]).toString(),
  )?.[1]
  if (version === undefined) throw new NoExtension(`CITUS_ARCHIVE: ${archive} does not contain citus.so.`)
  // The extension may need a later minor release than the one that is installed.
  const isInstalled = existsSync(join(debianDir, version, 'bin', 'postgres'))
  if (!isInstalled || process.getuid?.() === 0) installNewest([`postgresql-${version}`])
  for (const dir of [join(debianDir, version), `/usr/share/postgresql/${version}`]) {
    mkdirSync(join(home, dir), { recursive: true })
    cpSync(dir, join(home, dir), { recursive: true, dereference: true })
  }
  execFileSync('tar', ['xzf', archive, '-C', home])
  return join(home, debianDir, version, 'bin')
}

interface User {
  uid?: number
  gid?: number
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): User {
  if (process.getuid?.() !== 0) return {}
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'))
  return { uid: Number(line?.[1] ?? 65_534), gid: Number(line?.[2] ?? 65_534) }
}

const settings = [
  "shared_preload_libraries = 'citus'",
  'wal_level = logical',
  "listen_addresses = '127.0.0.1'",
  "unix_socket_directories = ''",
  'max_connections = 300',
  'max_prepared_transactions = 300',
  'max_locks_per_transaction = 512',
  'max_worker_processes = 40',
  'max_replication_slots = 40',
  'max_wal_senders = 40',
  'jit = off',
  "timezone = 'UTC'",
  'log_min_messages = fatal',
]

async function createNode(dir: string, bin: string, user: User): Promise<Node> {
  mkdirSync(dir)
  if (user.uid !== undefined && user.gid !== undefined) chownSync(dir, user.uid, user.gid)
  const port = await freePort()
  const initdb = ['-D', dir, '-U', 'vedette', '--auth=trust', '-E', 'UTF8', '--locale=C.UTF-8']
  execFileSync(join(bin, 'initdb'), initdb, { ...user, cwd: dir, stdio: 'ignore' })
  const plugins = execFileSync(join(bin, 'postgres'), ['--describe-config'], { ...user, cwd: dir })
    .toString()
    .includes('output_plugin_libraries')
    ? ["output_plugin_libraries = 'pgoutput, test_decoding, citus'"]
    : []
  writeFileSync(
    join(dir, 'postgresql.auto.conf'),
    `${[...settings, ...plugins, `port = ${port}`].join('\n')}\n`,
  )
  const url = (database: string) => `postgresql://vedette@127.0.0.1:${port}/${database}`
  let child: ChildProcess | null = null
  return {
    port,
    url,
    async start() {
      // Nodes connect to each other as clients, which look for certificates in the home directory.
      const env = { ...process.env, HOME: dir }
      const log = openSync(join(dir, 'log'), 'w')
      const started = spawn(join(bin, 'postgres'), ['-D', dir], {
        ...{ ...user, env, cwd: dir, stdio: ['ignore', log, log] },
      })
      child = started
      closeSync(log)
      await until(`PostgreSQL in ${dir} responds`, () => {
        if (started.exitCode !== null)
          throw new Error(`PostgreSQL ended: ${readFileSync(join(dir, 'log'), 'utf8').slice(-1_000)}`)
        return isReady(bin, port)
      })
    },
    async kill() {
      const ended = child
      child = null
      if (ended === null) return
      const gone = new Promise((resolve) => ended.once('exit', resolve))
      ended.kill('SIGQUIT')
      await gone
    },
    cpuMs: () => (child?.pid === undefined ? 0 : cpuOf(child.pid)),
  }
}

async function isReady(bin: string, port: number): Promise<boolean> {
  return promisify(execFile)(join(bin, 'pg_isready'), ['-h', '127.0.0.1', '-p', String(port)]).then(
    () => true,
    () => false,
  )
}

async function query(bin: string, url: string, statements: string[]): Promise<string> {
  const commands = statements.flatMap((statement) => ['-c', statement])
  const { stdout } = await promisify(execFile)(join(bin, 'psql'), [
    '-qAtX',
    '-v',
    'ON_ERROR_STOP=1',
    url,
    ...commands,
  ])
  return stdout.trim()
}

const tickMs = 10

/** Of a process, of its children, and of those that have ended. */
function cpuOf(postmaster: number): number {
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => statOf(pid))
    .filter(({ pid, parent }) => pid === postmaster || parent === postmaster)
    .map(({ pid, own, ended }) => own + (pid === postmaster ? ended : 0))
  return ticks.reduce((sum, count) => sum + count, 0) * tickMs
}

function statOf(pid: string): { pid: number; parent: number; own: number; ended: number } {
  let stat = ''
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // It has ended since the directory was listed.
  }
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
    (n) => fields[n],
  )
  return { pid: Number(pid), parent, own: user + system, ended: endedUser + endedSystem }
}
