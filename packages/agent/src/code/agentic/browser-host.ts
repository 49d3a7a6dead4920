// The agent's side of the browser in a cell: sends commands and receives replies, which are untrusted and validated.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import { untilAborted } from '../../core/until-aborted.ts'
import type { Cell, RunningProgram } from '../../sandbox/cell.ts'
import { LineReader } from '../../sandbox/line-reader.ts'
import { stagePrograms } from '../../sandbox/stage-programs.ts'
import { plainFileInside } from '../inside-folder.ts'
import { nameFailures } from '../script/name-failures.ts'

export type BrowserHost = Awaited<ReturnType<typeof openBrowserHost>>

interface HostSettings {
  cell: Cell
  /** A path in the cell. */
  runtime: string
  node: string
  env: Readonly<Record<string, string>>
  variables: Readonly<Record<string, string>>
  signal: AbortSignal
}

const Reply = z.object({ id: z.int(), ok: z.boolean(), output: z.string().max(50_000) })

type HostReply = Pick<z.output<typeof Reply>, 'ok' | 'output'>

const maxLineBytes = 400_000
const maxStderrChars = 4_000
const closeMs = 10_000
/** The host's directory in the cell's directory. */
const folder = 'agentic'

export async function openBrowserHost(settings: HostSettings) {
  const { cell, signal } = settings
  await stageHost(cell)
  const channel = new HostChannel()
  const program = cell.start({
    argv: [settings.node, join(cell.work, folder, 'host.mjs'), settings.runtime],
    env: { ...cell.environment, ...settings.env },
    cwd: join(cell.work, folder),
    onOutput: (stream, chunk) => channel.receive(stream, chunk),
  })
  void program.ended.then(({ reason, exitCode }) => channel.end(reason, exitCode))
  const call = async (op: string, more: object = {}): Promise<HostReply> => {
    const { ok, output } = await channel.request(program, { op, ...more }, signal)
    return { ok, output: ok ? output : nameFailures(output, cell.connectionFailures()) }
  }
  const opened = await call('open', { variables: settings.variables })
  if (!opened.ok) throw new HostError(`the browser didn't start: ${opened.output}`)
  return {
    /** Runs statements of a script. */
    run: (code: string) => call('run', { code }),
    /** The value of an expression, as text. */
    evaluate: (code: string) => call('evaluate', { code }),
    /** The content of the page, as text. */
    view: () => call('view'),
    /** Writes trace and last screenshot, and ends the browser; time-limited. */
    async close() {
      await channel.request(program, { op: 'close' }, AbortSignal.timeout(closeMs)).catch(() => undefined)
      program.kill()
    },
  }
}

/** The host ended or sent an invalid reply: not a failure of the prompt. */
export class HostError extends Error {
  override name = 'HostError'
}

class HostChannel {
  readonly #waiting = new Map<number, PromiseWithResolvers<HostReply>>()
  #lastId = 0
  readonly #lines = new LineReader(maxLineBytes)
  #stderr = ''
  #ended: HostError | null = null

  async request(program: RunningProgram, command: object, signal: AbortSignal): Promise<HostReply> {
    if (this.#ended) throw this.#ended
    signal.throwIfAborted()
    this.#lastId += 1
    const id = this.#lastId
    const reply = Promise.withResolvers<HostReply>()
    this.#waiting.set(id, reply)
    program.write(`${JSON.stringify({ id, ...command })}\n`)
    try {
      return await untilAborted(reply.promise, signal)
    } finally {
      this.#waiting.delete(id)
    }
  }

  receive(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    if (stream === 'stderr') {
      this.#stderr = lastLines(`${this.#stderr}${chunk.toString()}`, maxStderrChars)
      return
    }
    for (const line of this.#lines.push(chunk)) {
      const { data: reply } = Reply.safeParse(parseJson(line))
      if (reply) this.#waiting.get(reply.id)?.resolve(reply)
      else this.#fail(new HostError('the browser sent an invalid reply'))
    }
    if (this.#lines.isTooLong) this.#fail(new HostError('the browser sent too much output'))
  }

  end(reason: string, exitCode: number | null): void {
    const why = reason === 'exited' ? `it exited with code ${exitCode}` : `the agent ended it: ${reason}`
    this.#fail(new HostError(`the browser ended: ${why}. ${this.#stderr.trim()}`.trim()))
  }

  #fail(error: HostError): void {
    this.#ended ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
  }
}

/** Whole lines: half a secret isn't found. */
function lastLines(text: string, maxChars: number): string {
  return text.length <= maxChars
    ? text
    : text.slice(text.indexOf('\n', text.length - maxChars) + 1 || text.length)
}

async function stageHost(cell: Cell): Promise<void> {
  const own = join(cell.folder, folder)
  await mkdir(join(own, 'screenshots'), { recursive: true })
  await stagePrograms(fileURLToPath(new URL('./host', import.meta.url)), own)
  await cell.chown()
}

/** After the cell has ended: the path of a regular file in the host's directory; null: there is none. */
export async function findOutputFile(cell: Cell, name: string): Promise<string | null> {
  return (await plainFileInside(cell.folder, join(folder, name), cell.work))?.path ?? null
}
