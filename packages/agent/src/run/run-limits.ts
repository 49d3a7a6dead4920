// How long runs may take in all, whatever they do: the last line of defence behind the limits of whoever makes them.
import type { CheckType, Job } from '@vedette/contracts'

const second = 1_000
const minute = 60 * second

const networkMs = 30 * second
const scriptMs = 10 * second
/** For what is not the target's: waiting for memory, judging, diagnostics. */
const networkSlackMs = 15 * second
/** For what is not the user's: the cell, the browser, scrubbing and uploading what the run left. */
const codeSlackMs = minute

/** Of the types that are nothing but code of users. */
const codeMs: { [T in CheckType]?: number } = {
  BROWSER: 4 * minute + codeSlackMs,
  MULTI_STEP: 4 * minute + codeSlackMs,
  // A model takes its time, in the first run and when it mends the script of a later one.
  AGENTIC: 10 * minute + codeSlackMs,
  // Installing, running, and what is left to upload of many tests.
  PLAYWRIGHT: 5 * minute + 30 * minute + 5 * minute,
}

export function isCodeType(checkType: CheckType): boolean {
  return codeMs[checkType] !== undefined
}

export function limitMsOf({
  checkType,
  setup,
  teardown,
}: Pick<Job, 'checkType' | 'setup' | 'teardown'>): number {
  return codeMs[checkType] ?? networkMs + networkSlackMs + (setup.length + teardown.length) * scriptMs
}

/** A run that was told to end has this long to do so. A cell has processes to end, and files that tell what happened. */
export function graceMsOf(checkType: CheckType): number {
  return isCodeType(checkType) ? 30 * second : 5 * second
}
