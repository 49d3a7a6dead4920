// The first program in a cell: starts programs on the agent's orders and passes their output on, as JSON lines. It runs as the
// same user as the code that it starts, so the agent doesn't trust it.
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

function send(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function start({ id, argv = [], env = {}, cwd = '/' }: Order): void {
  const [program = '', ...args] = argv
  const end = (exitCode: number | null, signal: string | null) => {
    if (programs.delete(id)) send({ type: 'end', id, exitCode, signal })
  }
  const child = spawn(program, args, { env, cwd, stdio: 'pipe', detached: true })
  programs.set(id, child)
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) =>
      send({ type: 'output', id, stream, data: chunk.toString('base64') }),
    )
  }
  child.stdin.on('error', () => {})
  child.on('error', () => end(null, null))
  // Processes that it left running may hold its pipes: a short time for its last output, then it counts as ended.
  child.on('exit', (code, signal) => setTimeout(() => end(code, signal), 200).unref())
  child.on('close', (code, signal) => end(code, signal))
}

function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

function execute(order: Order): void {
  const child = programs.get(order.id)
  if (order.type === 'start') start(order)
  else if (order.type === 'input') child?.stdin?.write(Buffer.from(order.data ?? '', 'base64'))
  else if (order.type === 'close') child?.stdin?.end()
  else kill(child)
}

const closeOnExec = 0o2_000_000

/** Closes descriptors that the agent inherited: every program would inherit them. Node's own are close-on-exec. */
function closeInherited(): void {
  for (const fd of readdirSync('/proc/self/fd')
    .map(Number)
    .filter((number) => number > 2)) {
    try {
      const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? '0'
      if ((Number.parseInt(flags, 8) & closeOnExec) === 0) closeSync(fd)
    } catch {
      // The descriptor that the list was read from.
    }
  }
}

let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) execute(JSON.parse(line))
})
process.stdin.on('end', () => process.exit(0))
// User code must not end the supervisor by signals.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
if (process.platform === 'linux') closeInherited()
if (process.env.VEDETTE_EGRESS) await startRelay()
send({ type: 'ready' })
