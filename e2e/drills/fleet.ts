// Servers and agents as processes of their own, which a drill may kill as it likes.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** DRILL_CHECKOUT: another checkout whose programs are started, to compare two versions by the same drill. */
const checkout = process.env.DRILL_CHECKOUT ?? fileURLToPath(new URL('../..', import.meta.url))
const file = (path: string) => join(checkout, path)

export interface Program {
  pid: number
  /** What it wrote on stderr so far. */
  log(): string
  /** SIGKILL, and until it is gone. */
  kill(): Promise<void>
  /** SIGTERM, and until it is gone. */
  stop(): Promise<number | null>
}

export interface FirstStart {
  key: string
  accountId: string
}

/** Resolves when it is ready; `first` is what only the first start on empty data tells. */
export async function startServer(
  environment: Record<string, string>,
): Promise<Program & { first: FirstStart | null }> {
  const child = start('packages/server/src/main.ts', {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_FACTOR: '100000',
    AGENT: 'off',
    ...environment,
  })
  const text = await printed(child, /keys create\n|accounts\/me\n/)
  const find = (pattern: RegExp) => pattern.exec(text)?.[1]
  const [key, accountId] = [find(/API key\s+(\S+)/), find(/Account id\s+(\S+)/)]
  const first = key === undefined || accountId === undefined ? null : { key, accountId }
  return { ...programOf(child), first }
}

export function startAgent(environment: Record<string, string>): Program {
  return programOf(start('packages/agent/src/main.ts', { LOG_LEVEL: 'WARN', ...environment }))
}

/** As an operator makes one, on the server's machine. */
export async function createAgentKey(environment: Record<string, string>): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [file('packages/server/src/operate.ts'), 'agent-keys', 'create', '--name', 'drill', '--json'],
    { env: { ...process.env, ...environment } },
  )
  const key = /va_[0-9a-f]{32}/.exec(stdout)?.[0]
  if (key === undefined) throw new Error(`no key in: ${stdout}`)
  return key
}

function start(program: string, environment: Record<string, string>): ChildProcess {
  return spawn(process.execPath, [file(program)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  })
}

function programOf(child: ChildProcess): Program {
  let log = ''
  child.stderr?.on('data', (chunk) => {
    log = (log + chunk).slice(-200_000)
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    return ended
  }
  return {
    pid: child.pid as number,
    log: () => log,
    async kill() {
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
  }
}

function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let text = ''
  let errors = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      errors = (errors + chunk).slice(-5_000)
    })
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (pattern.test(text)) resolve(text)
    })
    child.once('exit', (code) => reject(new Error(`ended with ${code}\n${text}\n${errors}`)))
  })
}

/** Nothing under way, nothing left to deliver. */
export async function isIdle(healthPort: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${healthPort}/health`)
  const { inFlight, undelivered } = (await answer.json()) as { inFlight: number; undelivered: number }
  return inFlight === 0 && undelivered === 0
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Until it holds; the bound is for a machine that is busy with other things. */
export async function until(
  what: string,
  holds: () => Promise<boolean> | boolean,
  boundMs = 90_000,
): Promise<void> {
  const end = Date.now() + boundMs
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${boundMs / 1000} s in vain until ${what}`)
    await pause(200)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
