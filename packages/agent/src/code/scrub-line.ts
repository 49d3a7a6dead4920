// Scrubs lines of the log of a code run, in its result and while it runs alike.
import { createScrubber, type Scrubber } from '../scrub/scrub.ts'
import type { LogLine } from './code-runner.ts'

const maxLineChars = 10_000

/** Playwright's call logs print headers, credentials among them. */
export function logScrubber(secrets: readonly string[]): Scrubber {
  return createScrubber(secrets, { headerLines: true })
}

/** Truncated after scrubbing: half a secret isn't found. */
export function scrubLine(scrubber: Scrubber, line: LogLine): LogLine {
  return { ...line, msg: scrubber.text(line.msg).slice(0, maxLineChars) }
}
