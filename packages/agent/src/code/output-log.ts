// Collects the output of a run's programs as log lines; of too many lines, the first and the last. They still contain secrets,
// so a line is truncated only at its end, and `tail` returns whole lines.
import { StringDecoder } from 'node:string_decoder'
import { stripVTControlCharacters } from 'node:util'
import { cutEnd } from '../scrub/cut-secrets.ts'
import type { LogLine } from './code-runner.ts'

const maxLineChars = 10_000
const keptAtStart = 200_000
const keptAtEnd = 200_000
/** Overhead per line, so that many short lines count too. */
const lineChars = 60

type Stream = 'stdout' | 'stderr'

export class OutputLog {
  readonly #clock: { now(): number }
  readonly #levels: Record<Stream, LogLine['level']>
  readonly #onLine: ((line: LogLine) => void) | undefined
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  /** The line that hasn't ended yet; null: it is too long and already added. */
  readonly #open: Record<Stream, string | null> = { stdout: '', stderr: '' }
  readonly #lines: LogLine[] = []
  /** How many of the lines are at the start; lines after them can be left out. */
  #startLines = 0
  #chars = 0
  #leftOut = 0

  constructor(
    { clock, onLine }: { clock: { now(): number }; onLine?: (line: LogLine) => void },
    stderr: LogLine['level'] = 'ERROR',
  ) {
    this.#clock = clock
    this.#levels = { stdout: 'INFO', stderr }
    this.#onLine = onLine
  }

  /** Adds output; a chunk may end anywhere. */
  readonly write = (stream: Stream, chunk: Buffer): void => {
    const [first = '', ...others] = this.#decoders[stream].write(chunk).split(/\r?\n|\r/)
    this.#append(stream, first)
    for (const text of others) {
      this.#close(stream)
      this.#append(stream, text)
    }
  }

  /** Adds a line of the agent. */
  note(msg: string, level: LogLine['level'] = 'INFO'): void {
    this.#flush()
    this.#add(level, msg)
  }

  /** The last lines for a message: as many as fit, or the beginning of one long line. */
  tail(maxChars: number): string {
    this.#flush()
    const lines: string[] = []
    let chars = 0
    for (const { msg } of this.#lines.toReversed()) {
      chars += msg.length + 1
      if (chars > maxChars && lines.length > 0) break
      lines.unshift(cutEnd(msg, maxChars))
    }
    return lines.join('\n')
  }

  lines(): LogLine[] {
    this.#flush()
    if (this.#leftOut === 0) return [...this.#lines]
    const time = this.#lines[this.#startLines]?.time ?? Math.round(this.#clock.now())
    const note: LogLine = { time, level: 'WARN', msg: `… ${this.#leftOut} lines left out …` }
    return this.#lines.toSpliced(this.#startLines, 0, note)
  }

  #append(stream: Stream, text: string): void {
    const begun = this.#open[stream]
    if (begun === null) return
    this.#open[stream] = begun + text
    if (begun.length + text.length <= maxLineChars) return
    this.#print(stream, begun + text)
    this.#open[stream] = null
  }

  #close(stream: Stream): void {
    this.#print(stream, this.#open[stream] ?? '')
    this.#open[stream] = ''
  }

  #flush(): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#open[stream]) this.#close(stream)
    }
  }

  #print(stream: Stream, line: string): void {
    const msg = stripVTControlCharacters(line).trimEnd()
    if (msg !== '') this.#add(this.#levels[stream], msg)
  }

  #add(level: LogLine['level'], text: string): void {
    const line: LogLine = { time: Math.round(this.#clock.now()), level, msg: cutEnd(text, maxLineChars) }
    this.#onLine?.(line)
    if (this.#chars < keptAtStart) this.#startLines += 1
    this.#lines.push(line)
    this.#chars += line.msg.length + lineChars
    // Drops many lines at once: a shift per line would be quadratic.
    if (this.#chars <= keptAtStart + 2 * keptAtEnd) return
    let end = this.#startLines
    for (; this.#chars > keptAtStart + keptAtEnd; end++)
      this.#chars -= (this.#lines[end]?.msg.length ?? 0) + lineChars
    this.#leftOut += this.#lines.splice(this.#startLines, end - this.#startLines).length
  }
}
