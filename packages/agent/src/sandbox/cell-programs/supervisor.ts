// The first process of a cell: starts what the agent says and passes on what comes out, one JSON text per line. It runs as
// the same user as the code it starts and defends nothing: the agent believes none of it.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, readdirSync, readFileSync } from 'node:fs'
import { startRelay } from './relay.ts'

interface Order {
  type: 'start' | 'input' | 'close' | 'kill'
  id: number
  argv?: string[]
  env?: Record<string, string>
  cwd?: string
  data?: string
}

const programs = new Map<number, ChildProcess>()

function say(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function start({ id, argv = [], env = {}, cwd = '/' }: Order): void {
  const [program = '', ...args] = argv
  let isOver = false
  const end = (exitCode: number | null, signal: string | null, error?: string) => {
    if (isOver) return
    isOver = true
    programs.delete(id)
    say({ type: 'end', id, exitCode, signal, ...(error && { error }) })
  }
  const child = spawn(program, args, { env, cwd, stdio: 'pipe', detached: true })
  programs.set(id, child)
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) =>
      say({ type: 'output', id, stream, data: chunk.toString('base64') }),
    )
  }
  child.stdin.on('error', () => {})
  child.on('error', (error) => end(null, null, error.message))
  // What it left running may hold its pipes: a moment for what it said last, then it is over.
  child.on('exit', (code, signal) => setTimeout(() => end(code, signal), 200).unref())
  child.on('close', (code, signal) => end(code, signal))
}

function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}

function obey(order: Order): void {
  const child = programs.get(order.id)
  if (order.type === 'start') start(order)
  else if (order.type === 'input') child?.stdin?.write(Buffer.from(order.data ?? '', 'base64'))
  else if (order.type === 'close') child?.stdin?.end()
  else kill(child)
}

const closeOnExec = 0o2_000_000

/** Files that the agent was started with by someone else would be passed on to every program; Node's own are not. */
function closeInherited(): void {
  for (const fd of readdirSync('/proc/self/fd')
    .map(Number)
    .filter((number) => number > 2)) {
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '0'
      if ((Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(fd)
    } catch {
      // The one that the list was read from.
    }
  }
}

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) obey(JSON.parse(line) as Order)
})
process.stdin.on('end', () => process.exit(0))
// Signals of the code inside are none of ours.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
if (process.platform === 'linux') closeInherited()
if (process.env.VEDETTE_EGRESS) await startRelay()
say({ type: 'ready' })
