// The agent's side of a cell's supervisor, which is untrusted: an invalid message ends the cell.
import type { ChildProcess } from 'node:child_process'
import { parseJson } from '../core/parse-json.ts'
import type { CellEnd, CellProgram, RunningProgram } from './cell.ts'
import { type LineLimits, LineProcess } from './line-process.ts'
import { isRecord } from './messages.ts'

const outputLimits: LineLimits = { lineBytes: 4_000_000, allBytes: 512_000_000 }

type Message =
  | { type: 'ready' }
  | { type: 'output'; id: number; stream: 'stdout' | 'stderr'; data: Buffer }
  | { type: 'end'; id: number; exitCode: number | null; signal: string | null }

interface Started {
  program: CellProgram
  settle(end: CellEnd): void
}

export class CellProcess {
  readonly #process: LineProcess<Message>
  readonly #programs = new Map<number, Started>()
  readonly #exceeded: () => CellEnd['reason'] | null
  readonly ready: Promise<boolean>
  /** Null while it lives. */
  #reason: CellEnd['reason'] | null = null
  #lastId = 0
  #onReady: (isReady: boolean) => void = () => {}

  constructor(
    child: ChildProcess,
    exceeded: () => CellEnd['reason'] | null = () => null,
    limits = outputLimits,
  ) {
    this.#exceeded = exceeded
    this.ready = new Promise((settle) => {
      this.#onReady = settle
    })
    this.#process = new LineProcess(child, parse, limits)
    this.#process.onMessage = (message) => this.#receive(message)
    this.#process.onEnd((end) => end === 'flooded' && this.#end('output'))
    this.#process.onEnd((end) => this.#end(typeof end === 'string' ? 'killed' : (exceeded() ?? 'cell')))
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Why it couldn't be started on this host. */
  get errorOutput(): string {
    return this.#process.stderr
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
    this.#process.send({ type: 'start', id, argv, env, cwd })
    return {
      ended,
      write: (data) => this.#process.send({ type: 'input', id, data: Buffer.from(data).toString('base64') }),
      closeInput: () => this.#process.send({ type: 'close', id }),
      kill: () => this.#process.send({ type: 'kill', id }),
    }
  }

  /** Ends every program in the cell with this reason. */
  kill(reason: CellEnd['reason']): void {
    this.#end(reason)
    this.#process.kill()
  }

  #end(reason: CellEnd['reason']): void {
    if (this.#reason !== null) return
    this.#reason = reason
    this.#onReady(false)
    for (const { settle } of this.#programs.values()) settle({ exitCode: null, signal: 'SIGKILL', reason })
    this.#programs.clear()
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
    const { exitCode, signal } = message
    // The kernel may end it before the supervisor.
    const reason = (signal === 'SIGKILL' && this.#exceeded()) || 'exited'
    started?.settle({ exitCode, signal, reason })
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
