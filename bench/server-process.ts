// Measured programs as separate processes, so that the load generator doesn't count.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

export interface Vedette {
  url: string
  key: string
  accountId: string
  /** Of the link that sets the owner up. */
  setupToken: string
  readonly pid: number
  dataDir: string
  /** On the same data, as after an upgrade. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** What a server prints last when its store is not new. */
const startedAgain = /keys create\n|accounts\/me\n/

/** A server on fresh data, with limits far above the load of a benchmark. */
export async function startVedette(environment: Record<string, string> = {}): Promise<Vedette> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vedette-bench-'))
  const port = await freePort()
  const settings = {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    // The targets of their checks don't exist.
    AGENT: 'off',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000000',
    RATE_LIMIT_FACTOR: '1000000',
    ...environment,
  }
  let child = start('../packages/server/src/main.ts', settings)
  const text = await printed(child, /accounts\/me\n/)
  const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
  return {
    url: `http://127.0.0.1:${port}`,
    key: find(/API key\s+(\S+)/),
    accountId: find(/Account id\s+(\S+)/),
    setupToken: find(/\/setup#(\S+)/),
    get pid() {
      return child.pid as number
    },
    dataDir,
    async restart() {
      await endProgram(child)
      child = start('../packages/server/src/main.ts', settings)
      await printed(child, startedAgain)
    },
    async stop() {
      await endProgram(child)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Another server on the same store. */
export async function startBeside(
  { dataDir }: Vedette,
  environment: Record<string, string>,
): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const ownDir = mkdtempSync(join(tmpdir(), 'vedette-bench-'))
  const port = await freePort()
  const { host, password } = storeOf(dataDir)
  const child = start('../packages/server/src/main.ts', {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: ownDir,
    DATABASE_URL: `postgres://vedette:${encodeURIComponent(password)}@/vedette?host=${encodeURIComponent(host)}`,
    LOG_LEVEL: 'warn',
    AGENT: 'off',
    ...environment,
  })
  await printed(child, startedAgain)
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    async stop() {
      await endProgram(child)
      rmSync(ownDir, { recursive: true, force: true })
    },
  }
}

export async function connectTo({ dataDir }: Vedette): Promise<pg.Client> {
  const client = new pg.Client({ ...storeOf(dataDir), port: 5432, user: 'vedette', database: 'vedette' })
  // Errors while stopping must not hide an earlier error.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** The embedded PostgreSQL listens on a socket in a directory. */
function storeOf(dataDir: string): { host: string; password: string } {
  const host = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4] ?? ''
  return { host, password: readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim() }
}

export async function startProgram(file: string, environment: Record<string, string>) {
  const child = start(file, environment)
  await printed(child, /ready\n/)
  return { pid: child.pid as number, stop: () => endProgram(child) }
}

function start(file: string, environment: Record<string, string>): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url))
  return spawn(process.execPath, [path], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
}

async function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (pattern.test(text)) resolve(text)
    })
    child.once('exit', (code) => reject(new Error(`A program under measurement ended with ${code}: ${text}`)))
  })
}

export async function endProgram(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const ticksPerSecond = 100

/** CPU seconds of these processes so far, including those of their ended children. */
export function cpuSeconds(pids: number[]): number {
  let ticks = 0
  for (const pid of pids) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      for (const field of [11, 12, 13, 14]) ticks += Number(fields[field])
    } catch {
      // Ended meanwhile.
    }
  }
  return ticks / ticksPerSecond
}

/** PostgreSQL and its backends. */
export function postgresOf(vedette: Vedette): number[] {
  const postmaster = Number(
    readFileSync(join(vedette.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
  )
  return [postmaster, ...childrenOf(postmaster)]
}

/** The agent that this server started. */
export function builtInAgentOf(vedette: Vedette): number {
  const agent = childrenOf(vedette.pid).find((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('agent')
    } catch {
      return false
    }
  })
  if (agent === undefined) throw new Error('the server has no agent')
  return agent
}

export function childrenOf(parent: number): number[] {
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent
    } catch {
      return false
    }
  })
  return children.map(Number)
}
