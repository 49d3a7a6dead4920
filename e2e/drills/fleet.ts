// Servers and agents as separate processes, which a drill can kill.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A checkout, and the Node that runs its programs. */
export interface Checkout {
  root: string
  node: string
}

export const thisCheckout: Checkout = {
  root: fileURLToPath(new URL('../..', import.meta.url)),
  node: process.execPath,
}

/** DRILL_CHECKOUT: another checkout to run, to compare two versions with the same drill. */
const drilled: Checkout = { ...thisCheckout, root: process.env.DRILL_CHECKOUT ?? thisCheckout.root }

export interface Program {
  pid: number
  /** Its stderr so far. */
  log(): string
  hasEnded(): boolean
  /** Sends SIGKILL, and waits for its end. */
  kill(): Promise<void>
  /** Sends SIGTERM, and waits for its end. */
  stop(): Promise<number | null>
}

export interface FirstStart {
  key: string
  accountId: string
}

/** Resolves when it is ready; `first` is printed only at the first start on empty data. */
export async function startServer(
  environment: Record<string, string>,
  checkout = drilled,
): Promise<Program & { first: FirstStart | null }> {
  const child = startMain(environment, checkout)
  const text = await printed(child, /keys create\n|accounts\/me\n/)
  const find = (pattern: RegExp) => pattern.exec(text)?.[1]
  const [key, accountId] = [find(/API key\s+(\S+)/), find(/Account id\s+(\S+)/)]
  const first = key === undefined || accountId === undefined ? null : { key, accountId }
  return { ...programOf(child), first }
}

/** Doesn't wait until it is ready. */
export function launchServer(environment: Record<string, string>, checkout = drilled): Program {
  return programOf(startMain(environment, checkout))
}

function startMain(environment: Record<string, string>, checkout: Checkout): ChildProcess {
  return start(checkout, 'packages/server/src/main.ts', {
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_FACTOR: '100000',
    AGENT: 'off',
    ...environment,
  })
}

export function startAgent(environment: Record<string, string>, checkout = drilled): Program {
  return programOf(start(checkout, 'packages/agent/src/main.ts', { LOG_LEVEL: 'WARN', ...environment }))
}

/** Created with the operator's command. */
export async function createAgentKey(
  environment: Record<string, string>,
  checkout = drilled,
): Promise<string> {
  const stdout = await operate(['agent-keys', 'create', '--name', 'drill', '--json'], environment, checkout)
  const key = /va_[0-9a-f]{32}/.exec(stdout)?.[0]
  if (key === undefined) throw new Error(`no key in: ${stdout}`)
  return key
}

/** Runs a command of the operator; resolves to its output. */
export async function operate(
  words: string[],
  environment: Record<string, string>,
  { root, node } = drilled,
): Promise<string> {
  const program = join(root, 'packages/server/src/operate.ts')
  const { stdout } = await promisify(execFile)(node, [program, ...words], {
    env: { ...process.env, ...environment },
  })
  return stdout
}

function start({ root, node }: Checkout, program: string, environment: Record<string, string>): ChildProcess {
  return spawn(node, [join(root, program)], {
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
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const end = async (signal: NodeJS.Signals) => {
    if (!hasEnded()) child.kill(signal)
    return ended
  }
  return {
    pid: child.pid as number,
    log: () => log,
    hasEnded,
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

/** No run in flight, nothing left to deliver. */
export async function isIdle(healthPort: number): Promise<boolean> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/health`)
  const { inFlight, undelivered } = (await response.json()) as { inFlight: number; undelivered: number }
  return inFlight === 0 && undelivered === 0
}

/** Waits until the condition holds; the limit allows for a busy machine. */
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
