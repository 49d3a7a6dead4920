// The agent's side of the browser in the cell: commands in, answers out. What comes back is read field by field: behind it
// are pages of strangers.
import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { Cell, RunningProgram } from '../../sandbox/cell.ts'
import { stageProgram } from '../../sandbox/staged-program.ts'
import { nameFailures } from '../script/name-failures.ts'

interface HostAnswer {
  ok: boolean
  output: string
}

export interface BrowserHost {
  /** Runs statements of a script. */
  run(code: string): Promise<HostAnswer>
  evaluate(expression: string): Promise<HostAnswer>
  /** What the page shows, as text. */
  view(): Promise<HostAnswer>
  /** Writes trace and last screenshot, and ends the browser; bounded. */
  close(): Promise<void>
}

export interface HostPlace {
  cell: Cell
  /** Inside the cell. */
  runtime: string
  node: string
  env: Readonly<Record<string, string>>
  variables: Readonly<Record<string, string>>
  signal: AbortSignal
}

const Said = z.object({ id: z.int(), ok: z.boolean(), output: z.string().max(50_000) })

const maxLineBytes = 400_000
const maxStderrChars = 4_000
const closeMs = 10_000
const folder = 'agentic'

/** Where the host writes, below the cell's folder. */
function hostFolder(cell: Cell): string {
  return join(cell.folder, folder)
}

export async function openBrowserHost(place: HostPlace): Promise<BrowserHost> {
  const { cell, signal } = place
  await stageHost(cell)
  const line = new HostLine()
  const program = cell.start({
    argv: [place.node, join(cell.work, folder, 'host.mjs'), place.runtime],
    env: { ...cell.environment, ...place.env },
    cwd: join(cell.work, folder),
    onOutput: (stream, chunk) => line.hear(stream, chunk),
  })
  void program.ended.then(({ reason, exitCode }) => line.end(reason, exitCode))
  const call = async (op: string, more: object = {}): Promise<HostAnswer> => {
    const { ok, output } = await line.ask(program, { op, ...more }, signal)
    return { ok, output: ok ? output : nameFailures(output, cell.connectionFailures()) }
  }
  const opened = await call('open', { variables: place.variables })
  if (!opened.ok) throw new HostError(`the browser did not start: ${opened.output}`)
  return {
    run: (code) => call('run', { code }),
    evaluate: (code) => call('evaluate', { code }),
    view: () => call('view'),
    async close() {
      await line.ask(program, { op: 'close' }, AbortSignal.timeout(closeMs)).catch(() => undefined)
      program.kill()
    },
  }
}

/** The host is gone, or talks nonsense: nobody's prompt is at fault. */
export class HostError extends Error {
  override name = 'HostError'
}

class HostLine {
  readonly #waiting = new Map<number, (answer: HostAnswer | Error) => void>()
  #lastId = 0
  #rest: Buffer = Buffer.alloc(0)
  #stderr = ''
  #ended: HostError | null = null

  ask(program: RunningProgram, command: object, signal: AbortSignal): Promise<HostAnswer> {
    if (this.#ended) return Promise.reject(this.#ended)
    if (signal.aborted) return Promise.reject(signal.reason)
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((settle, fail) => {
      const onAbort = () => done(signal.reason as Error)
      const done = (answer: HostAnswer | Error) => {
        this.#waiting.delete(id)
        signal.removeEventListener('abort', onAbort)
        if (answer instanceof Error) fail(answer)
        else settle(answer)
      }
      this.#waiting.set(id, done)
      signal.addEventListener('abort', onAbort, { once: true })
      program.write(`${JSON.stringify({ id, ...command })}\n`)
    })
  }

  hear(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    if (stream === 'stderr') {
      this.#stderr = lastLines(`${this.#stderr}${chunk.toString()}`, maxStderrChars)
      return
    }
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (let end = this.#rest.indexOf(10); end !== -1; end = this.#rest.indexOf(10)) {
      this.#hearLine(this.#rest.subarray(0, end).toString())
      this.#rest = this.#rest.subarray(end + 1)
    }
    if (this.#rest.length > maxLineBytes) this.#fail(new HostError('the browser said too much'))
  }

  #hearLine(text: string): void {
    const said = Said.safeParse(parsed(text))
    if (said.success) this.#waiting.get(said.data.id)?.({ ok: said.data.ok, output: said.data.output })
    else this.#fail(new HostError('the browser said something that is no answer'))
  }

  end(reason: string, exitCode: number | null): void {
    const why = reason === 'exited' ? `it ended with ${exitCode}` : `it was ended: ${reason}`
    this.#fail(new HostError(`the browser is gone: ${why}. ${this.#stderr.trim()}`.trim()))
  }

  #fail(error: HostError): void {
    this.#ended ??= error
    for (const settle of [...this.#waiting.values()]) settle(error)
  }
}

/** Whole ones: half a secret is no longer found. */
function lastLines(text: string, maxChars: number): string {
  return text.length <= maxChars
    ? text
    : text.slice(text.indexOf('\n', text.length - maxChars) + 1 || text.length)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function stageHost(cell: Cell): Promise<void> {
  const own = hostFolder(cell)
  await mkdir(join(own, 'screenshots'), { recursive: true })
  await stageProgram(fileURLToPath(new URL('./host', import.meta.url)), 'host', own)
  await cell.handOver()
}

/** Once the cell has ended: a regular file and no link, below the host's folder. */
export async function leftFile(cell: Cell, name: string): Promise<string | null> {
  const path = join(hostFolder(cell), name)
  const folderFacts = await lstat(join(path, '..')).catch(() => null)
  const facts = await lstat(path).catch(() => null)
  return folderFacts?.isDirectory() && facts?.isFile() && facts.size > 0 ? path : null
}
