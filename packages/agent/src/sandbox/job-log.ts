// The lines that scripts print, per phase. They are truncated after scrubbing: half a secret isn't found.
import type { RunDetail } from '@vedette/contracts'
import type { Scrubber } from '../scrub/scrub.ts'
import { scriptLimits } from './limits.ts'
import type { LogLevel } from './messages.ts'

export type JobLogLines = Exclude<NonNullable<RunDetail['jobLog']>, unknown[]>

const { maxLogBytes, maxLogLineChars, maxLogLines } = scriptLimits

export class JobLog {
  readonly #lines: JobLogLines = { setup: [], request: [], teardown: [] }
  #count = 0
  #bytes = 0
  #isFull = false

  add(phase: keyof JobLogLines, level: LogLevel, msg: string, time: number): void {
    if (this.#isFull) return
    this.#count += 1
    this.#bytes += Buffer.byteLength(msg)
    this.#isFull = this.#count > maxLogLines || this.#bytes > maxLogBytes
    const full = { time, msg: 'the log is full: further lines are left out', level: 'WARN' }
    this.#lines[phase].push(this.#isFull ? full : { time, msg, level })
  }

  /** A line of the agent, which the limits don't apply to. */
  note(phase: keyof JobLogLines, level: LogLevel, msg: string, time: number): void {
    this.#lines[phase].push({ time, msg, level })
  }

  scrub(scrubber: Scrubber): JobLogLines {
    const lines = scrubber.json(this.#lines)
    for (const line of Object.values(lines).flat()) line.msg = line.msg.slice(0, maxLogLineChars)
    return lines
  }
}
