// The agent's side of a cell's supervisor, which is untrusted: an invalid message ends the cell.
import type { ChildProcess } from 'node:child_process'
import { z } from 'zod'
import { parseJson } from '../core/parse-json.ts'
import type { CellEnd, CellProgram, RunningProgram } from './cell.ts'
import { type LineLimits, LineProcess } from './line-process.ts'

const outputLimits: LineLimits = { lineBytes: 4_000_000, allBytes: 512_000_000 }

const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({
    type: z.literal('output'),
    id: z.number(),
    stream: z.enum(['stdout', 'stderr']),
    data: z.string().transform((text) => Buffer.from(text, 'base64')),
  }),
  z.object({
    type: z.literal('end'),
    id: z.number(),
    exitCode: z
      .int()
      .transform((code) => code & 255)
      .nullable()
      .catch(null),
    signal: z
      .string()
      .transform((name) => name.slice(0, 20))
      .nullable()
      .catch(null),
  }),
])

type Message = z.output<typeof Message>

interface Started {
  program: CellProgram
  settle(end: CellEnd): void
}

export class CellProcess {
  readonly #process: LineProcess<Message>
  readonly #programs = new Map<number, Started>()
  readonly #exceeded: () => CellEnd['reason'] | null
  readonly #ready = Promise.withResolvers<boolean>()
  readonly ready = this.#ready.promise
  /** Null while it lives. */
  #reason: CellEnd['reason'] | null = null
  #lastId = 0

  constructor(
    child: ChildProcess,
    exceeded: () => CellEnd['reason'] | null = () => null,
    limits = outputLimits,
  ) {
    this.#exceeded = exceeded
    const parse = (line: string) => Message.safeParse(parseJson(line)).data ?? null
    this.#process = new LineProcess(child, parse, limits)
    this.#process.onMessage = (message) => this.#receive(message)
    void this.#process.ended.then((end) => {
      if (end === 'flooded') this.#end('output')
      else this.#end(typeof end === 'string' ? 'killed' : (exceeded() ?? 'cell'))
    })
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Why it couldn't be started on this host. */
  get errorOutput(): string {
    return this.#process.stderr
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
    this.#ready.resolve(false)
    for (const { settle } of this.#programs.values()) settle({ exitCode: null, signal: 'SIGKILL', reason })
    this.#programs.clear()
  }

  #receive(message: Message): void {
    if (message.type === 'ready') {
      this.#ready.resolve(true)
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
