// Sends the log of a run while it runs: whole lines, scrubbed like those of the result, at most one message a second. The result
// has the whole log, so lines may be lost, but no secret may be sent.
import type { Job } from '@vedette/contracts'
import { storableText } from '../run/reported-result.ts'
import { createScrubber, type Scrubber } from '../scrub/scrub.ts'
import type { LogLine } from './code-runner.ts'

export interface LiveLogDeps {
  now(): number
  /** False: the server wants no more lines. `firstLine`: a message that is sent again is stored once. */
  send(message: { token: string; firstLine: number; lines: LogLine[] }): Promise<boolean>
}

const everyMs = 1_000
const maxLinesPerMessage = 500
const maxCharsPerMessage = 60_000
const maxChars = 400_000
/** Per line, besides its text. */
const lineChars = 60

const maxLineChars = 10_000

/** For lines of the result and of the live log alike. Playwright's call logs print headers, credentials among them. */
export function logScrubber(secrets: readonly string[]): Scrubber {
  return createScrubber(secrets, { headerLines: true })
}

/** Truncated after scrubbing: half a secret isn't found. */
export function scrubLine(scrubber: Scrubber, line: LogLine): LogLine {
  return { ...line, msg: scrubber.text(line.msg).slice(0, maxLineChars) }
}

/** Null: the server doesn't ask for the lines. */
export function openLiveLog(job: Job, deps: LiveLogDeps): LiveLog | null {
  if (!job.streamLogs) return null
  const log = new LiveLog(job, deps)
  if (setsSecrets(job)) {
    log.add(note(deps, 'This script may set secrets while it runs, so its log is shown when it has ended.'))
    log.close()
  }
  return log
}

/** Such values are known only after they are set, and may be printed before. */
function setsSecrets({ check, snippets }: Job): boolean {
  const files = 'script' in check ? [check.script, check.dependencies, snippets] : []
  return JSON.stringify(files).includes('SERVICE_SECRET_')
}

class LiveLog {
  readonly #token: string
  readonly #deps: LiveLogDeps
  readonly #scrubber: Scrubber
  #waiting: LogLine[] = []
  #firstLine = 0
  /** How many lines the last message had if it failed: it may have been stored, so it is repeated as it was. */
  #unansweredLines = 0
  #chars = 0
  #timer: NodeJS.Timeout | undefined
  #isSending = false
  #isClosed = false

  constructor({ token, secrets }: Job, deps: LiveLogDeps) {
    this.#token = token
    this.#deps = deps
    this.#scrubber = logScrubber(secrets)
  }

  readonly add = (line: LogLine): void => {
    if (this.#isClosed || this.#chars > maxChars) return
    this.#chars += line.msg.length + lineChars
    const isFull = this.#chars > maxChars
    this.#waiting.push(isFull ? note(this.#deps, 'The rest is shown when the run has ended.') : line)
    this.#schedule()
  }

  /** Sends the lines that are left, without waiting for it. Further lines are dropped. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#timer)
    void this.#send()
  }

  /** A message that fails is sent again, until the run has ended. */
  async #send(): Promise<void> {
    this.#timer = undefined
    if (this.#isSending || this.#waiting.length === 0) return
    this.#isSending = true
    const count = this.#unansweredLines || countFitting(this.#waiting)
    const scrubbed = this.#waiting.slice(0, count).map((line) => scrubLine(this.#scrubber, line))
    const lines = scrubbed.map((line) => ({ ...line, msg: storableText(line.msg) }))
    const message = { token: this.#token, firstLine: this.#firstLine, lines }
    const isWanted = await this.#deps.send(message).catch(() => null)
    this.#isSending = false
    this.#unansweredLines = isWanted === null ? count : 0
    if (isWanted === false) this.#chars = Number.POSITIVE_INFINITY
    if (isWanted !== null) {
      this.#firstLine += count
      this.#waiting = isWanted ? this.#waiting.slice(count) : []
    }
    if (this.#waiting.length > 0 && !(this.#isClosed && isWanted === null)) this.#schedule()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.#send(), everyMs).unref()
  }
}

function note({ now }: LiveLogDeps, msg: string): LogLine {
  return { time: Math.round(now()), level: 'INFO', msg: `… ${msg}` }
}

function countFitting(lines: readonly LogLine[]): number {
  let count = 0
  let chars = 0
  for (const { msg } of lines) {
    chars += msg.length + lineChars
    if (count > 0 && (chars > maxCharsPerMessage || count >= maxLinesPerMessage)) break
    count += 1
  }
  return count
}
