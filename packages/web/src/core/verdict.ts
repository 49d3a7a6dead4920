// What happened in a run, in one sentence.
import { type Assertion, failedAssertionInWords } from './assertion-words.ts'
import { formatDuration } from './format.ts'
import type { StateName } from './states.ts'

export interface RunOutcome {
  hasFailures?: boolean | undefined
  hasErrors?: boolean | undefined
  isDegraded?: boolean | null | undefined
  isCancelled?: boolean | undefined
}

export interface Run extends RunOutcome {
  responseTime?: number | null | undefined
  statusCode?: number | null | undefined
  failure?: { kind: string; message: string; address?: string | null } | null | undefined
  /** Failed ones have an error. */
  assertions: readonly Assertion[]
  /** The address that responded. */
  address: string | null
  isHeartbeat: boolean
}

interface Outcome {
  state: StateName
  label: string
}

export function outcomeOf(run: RunOutcome): Outcome {
  if (run.isCancelled) return { state: 'unknown', label: 'Canceled' }
  if (run.hasErrors) return { state: 'unknown', label: 'Couldn’t run' }
  if (run.hasFailures) return { state: 'failing', label: 'Failed' }
  return run.isDegraded ? { state: 'degraded', label: 'Degraded' } : { state: 'passing', label: 'Passed' }
}

/** "Failed in Frankfurt at 14:02:11: expected status 200, got 503 after 312 ms, from 203.0.113.7." */
export function verdictSentence(run: Run, { location, time }: { location: string; time: string }): string {
  const where = run.isHeartbeat || location === '' ? '' : ` in ${location}`
  const reason = reasonOf(run)
  const details = [reason === null ? null : `: ${reason}`, ...measured(run)]
  return endSentence(
    `${outcomeOf(run).label}${where} at ${time}${details.filter((part) => part !== null).join('')}`,
  )
}

function reasonOf(run: Run): string | null {
  const failed = run.assertions.filter(({ error }) => error !== undefined)
  const [first] = failed
  // The failure of a run with failed assertions only repeats the first of them.
  if (
    first !== undefined &&
    (run.failure == null || run.failure.kind === 'assertion' || run.failure.kind === 'status')
  ) {
    const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''
    return `${failedAssertionInWords(first)}${more}`
  }
  if (run.failure != null) return lowerFirst(run.failure.message.trim().replace(/\.$/, ''))
  if (run.hasFailures) return null
  return run.statusCode == null ? null : `status ${run.statusCode}`
}

function measured(run: Run): (string | null)[] {
  const { responseTime, address } = run
  const hasTime = typeof responseTime === 'number' && responseTime > 0 && !run.hasErrors && !run.isHeartbeat
  const responded = run.statusCode != null || address !== null || !run.hasFailures
  return [
    hasTime && responded ? ` after ${formatDuration(responseTime)}` : null,
    address === null ? null : `, from ${address}`,
  ]
}

/** Acronyms and names keep their capital: `DNS lookup failed`. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z’' ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

function endSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}
