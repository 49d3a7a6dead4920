// The agent's side of a cell's supervisor. Its output is untrusted: lines and total are limited, and an invalid message ends
// the cell.
import type { ChildProcess } from 'node:child_process'
import { parseJson } from '../core/parse-json.ts'
import type { CellEnd, CellProgram, RunningProgram } from './cell.ts'
import { LineReader } from './line-reader.ts'
import { isRecord } from './messages.ts'

const outputLimits = { lineBytes: 4_000_000, allBytes: 512_000_000 }

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
  readonly #lines: LineReader
  readonly #maxBytes: number
  readonly #programs = new Map<number, Started>()
  readonly ready: Promise<boolean>
  /** Null while it lives. */
  #reason: CellEnd['reason'] | null = null
  #stderr = ''
  #receivedBytes = 0
  #lastId = 0
  #onReady: (isReady: boolean) => void = () => {}

  constructor(child: ChildProcess, limits = outputLimits) {
    this.#child = child
    this.#lines = new LineReader(limits.lineBytes)
    this.#maxBytes = limits.allBytes
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

  /** Why it couldn't be started on this host. */
  get errorOutput(): string {
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
    this.#send({ type: 'start', id, argv, env, cwd })
    return {
      ended,
      write: (data) => this.#send({ type: 'input', id, data: Buffer.from(data).toString('base64') }),
      closeInput: () => this.#send({ type: 'close', id }),
      kill: () => this.#send({ type: 'kill', id }),
    }
  }

  /** Ends every program in the cell with this reason. */
  kill(reason: CellEnd['reason']): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#onReady(false)
    const { pid } = this.#child
    if (pid !== undefined && (this.#child.exitCode ?? this.#child.signalCode) === null) {
      try {
        process.kill(-pid, 'SIGKILL')
      } catch {
        // It has ended already.
      }
    }
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy()
    for (const { settle } of this.#programs.values()) settle({ exitCode: null, signal: 'SIGKILL', reason })
    this.#programs.clear()
  }

  #send(order: object): void {
    if (this.#reason === null) this.#child.stdin?.write(`${JSON.stringify(order)}\n`)
  }

  #count(chunk: Buffer): void {
    this.#receivedBytes += chunk.length
    if (this.#receivedBytes > this.#maxBytes) this.kill('killed')
  }

  #read(chunk: Buffer): void {
    this.#count(chunk)
    for (const line of this.#lines.push(chunk)) {
      if (this.#reason !== null) return
      const message = parse(line)
      if (message) this.#receive(message)
      else this.kill('killed')
    }
    if (this.#lines.isTooLong) this.kill('killed')
  }

  #receive(message: Message): void {
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
  const value = parseJson(line)
  if (!isRecord(value)) return null
  const { type, id, stream, data, exitCode, signal } = value
  if (type === 'ready') return { type }
  if (typeof id !== 'number') return null
  if (type === 'output' && (stream === 'stdout' || stream === 'stderr') && typeof data === 'string')
    return { type, id, stream, data: Buffer.from(data, 'base64') }
  if (type !== 'end') return null
  return {
    type,
    id,
    exitCode: typeof exitCode === 'number' && Number.isInteger(exitCode) ? exitCode & 255 : null,
    signal: typeof signal === 'string' ? signal.slice(0, 20) : null,
  }
}
