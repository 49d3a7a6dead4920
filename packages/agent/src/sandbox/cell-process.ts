// The agent's end of a cell's supervisor. What comes from there is a stranger's: so many bytes a line, so many in all, and
// whatever is not one of our messages ends the cell.
import type { ChildProcess } from 'node:child_process'
import type { CellEnd, CellProgram, RunningProgram } from './cell.ts'

const saidLimits = { lineBytes: 4_000_000, allBytes: 512_000_000 }

type Message =
  | { type: 'ready' }
  | { type: 'output'; id: number; stream: 'stdout' | 'stderr'; data: Buffer }
  | { type: 'end'; id: number; exitCode: number | null; signal: string | null }

interface Started {
  program: CellProgram
  settle(end: CellEnd): void
}

export class CellProcess {
  readonly #child: ChildProcess
  readonly #limits: typeof saidLimits
  readonly #programs = new Map<number, Started>()
  readonly ready: Promise<boolean>
  /** Null while it lives. */
  #reason: CellEnd['reason'] | null = null
  #stderr = ''
  #rest: Buffer[] = []
  #restBytes = 0
  #saidBytes = 0
  #lastId = 0
  #onReady: (isReady: boolean) => void = () => {}

  constructor(child: ChildProcess, limits = saidLimits) {
    this.#child = child
    this.#limits = limits
    this.ready = new Promise((settle) => {
      this.#onReady = settle
    })
    child.stdin?.on('error', () => {})
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk))
    child.stdout?.on('error', () => {})
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#count(chunk)
      this.#stderr = `${this.#stderr}${chunk}`.slice(0, 4_000)
    })
    child.stderr?.on('error', () => {})
    child.on('error', () => this.kill('cell'))
    child.on('close', () => this.kill('cell'))
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** What the way of starting it said: why it is no way on this host. */
  get complaint(): string {
    return this.#stderr.trim()
  }

  get hasEnded(): boolean {
    return this.#reason !== null
  }

  start(program: CellProgram): RunningProgram {
    const id = ++this.#lastId
    const ended = new Promise<CellEnd>((settle) => {
      if (this.#reason !== null) settle({ exitCode: null, signal: null, reason: this.#reason })
      else this.#programs.set(id, { program, settle })
    })
    const { argv, env, cwd } = program
    this.#say({ type: 'start', id, argv, env, cwd })
    return {
      ended,
      write: (data) => this.#say({ type: 'input', id, data: Buffer.from(data).toString('base64') }),
      closeInput: () => this.#say({ type: 'close', id }),
      kill: () => this.#say({ type: 'kill', id }),
    }
  }

  /** Every program in it ends; what they were told they ended by is the reason. */
  kill(reason: CellEnd['reason']): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#onReady(false)
    const { pid } = this.#child
    if (pid !== undefined && (this.#child.exitCode ?? this.#child.signalCode) === null) {
      try {
        process.kill(-pid, 'SIGKILL')
      } catch {
        // It is gone already, and its number with it.
      }
    }
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy()
    for (const { settle } of this.#programs.values()) settle({ exitCode: null, signal: 'SIGKILL', reason })
    this.#programs.clear()
  }

  #say(order: object): void {
    if (this.#reason === null) this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  #count(chunk: Buffer): void {
    this.#saidBytes += chunk.length
    if (this.#saidBytes > this.#limits.allBytes) this.kill('killed')
  }

  #read(chunk: Buffer): void {
    this.#count(chunk)
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1 && this.#reason === null; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, at)]).toString()
      this.#rest = []
      this.#restBytes = 0
      from = at + 1
      const message = parse(line)
      if (message) this.#hear(message)
      else this.kill('killed')
    }
    this.#rest.push(chunk.subarray(from))
    this.#restBytes += chunk.length - from
    if (this.#restBytes > this.#limits.lineBytes) this.kill('killed')
  }

  #hear(message: Message): void {
    if (message.type === 'ready') {
      this.#onReady(true)
      return
    }
    const started = this.#programs.get(message.id)
    if (message.type === 'output') {
      started?.program.onOutput?.(message.stream, message.data)
      return
    }
    this.#programs.delete(message.id)
    started?.settle({ exitCode: message.exitCode, signal: message.signal, reason: 'exited' })
  }
}

function parse(line: string): Message | null {
  let value: Record<string, unknown>
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { type, id, stream, data, exitCode, signal } = value
  if (type === 'ready') return { type }
  if (typeof id !== 'number') return null
  if (type === 'output' && (stream === 'stdout' || stream === 'stderr') && typeof data === 'string')
    return { type, id, stream, data: Buffer.from(data, 'base64') }
  if (type !== 'end') return null
  return {
    ...{ type, id },
    exitCode: Number.isInteger(exitCode) ? (exitCode as number) & 255 : null,
    signal: typeof signal === 'string' ? signal.slice(0, 20) : null,
  }
}
