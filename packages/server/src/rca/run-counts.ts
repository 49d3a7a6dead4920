// How often a check failed with the analyzed error, and whether it stopped. Counts final results only: retries aren't runs.
import type { Evidence, EvidenceRun } from './evidence.ts'
import { artifacts, formatList, proof, type Statement, statement } from './finding.ts'
import { locationPattern } from './location-pattern.ts'

export function runCounts(evidence: Evidence): Statement[] {
  const { since, failing } = evidence
  const isHere = locationPattern(evidence).pattern === 'one'
  const runs = since.filter(
    ({ outcome, location }) => outcome !== 'error' && (!isHere || location === failing.location),
  )
  const failed = runs.filter(({ isInGroup }) => isInGroup)
  const [first, last] = [failed[0], failed.at(-1)]
  if (!first || !last) {
    const passed = runs.filter(({ outcome }) => outcome === 'passed')
    return passed.length === 0 || failing.outcome !== 'failed'
      ? []
      : [statement('No run failed with this error in the end: a retry passed.', countProof(passed, 'passed'))]
  }
  const span = runs.filter(({ at }) => at >= first.at && at <= last.at)
  const next = runs.filter(({ at }) => at > last.at)
  if (span.length + next.length < 2) return []
  return [
    statement(
      countText(failed, span, next),
      countProof(failed, 'failed with this error'),
      ...(next.length > 0 ? [countProof(next, 'followed')] : []),
    ),
  ]
}

function countText(failed: EvidenceRun[], span: EvidenceRun[], next: EvidenceRun[]): string {
  const [from, to] = [failed[0]?.at ?? 0, failed.at(-1)?.at ?? 0]
  const others = span.filter(({ outcome, isInGroup }) => outcome === 'failed' && !isInGroup).length
  const when = from === to ? `at ${clock(from)}` : between(from, to)
  if (span.length > failed.length) {
    const more = others === 0 ? '' : `, ${others} with another error`
    return `It comes and goes: ${failed.length} of ${span.length} runs ${when} failed with this error${more}${endingText(next)}.`
  }
  if (next.length > 0)
    return failed.length === 1
      ? `One run failed with this error, ${when}${endingText(next)}.`
      : `${failed.length} consecutive runs failed with this error, ${when}${endingText(next)}.`
  return failed.length === 1
    ? `The latest run, ${when}, is the first that failed with this error.`
    : `Every run since ${clock(from)} failed with this error: ${failed.length} so far.`
}

function endingText([next, ...others]: EvidenceRun[]): string {
  if (!next) return ''
  if (next.outcome !== 'passed') return ', then the check failed with another error'
  return others.every(({ outcome }) => outcome === 'passed')
    ? ', then it passed'
    : ', then the next run passed'
}

function countProof(runs: readonly EvidenceRun[], what: string) {
  return proof(
    artifacts.runs,
    `${runs.length} final ${runs.length === 1 ? 'result' : 'results'} ${what}: ${formatList(runs.map(({ id }) => id))}`,
  )
}

/** With the date: an analysis may be read days later. */
function clock(at: number): string {
  return `${timeOf(at)} UTC on ${dateOf(at)}`
}

function between(from: number, to: number): string {
  return dateOf(from) === dateOf(to)
    ? `between ${timeOf(from)} and ${clock(to)}`
    : `between ${clock(from)} and ${clock(to)}`
}

const timeOf = (at: number) => new Date(at).toISOString().slice(11, 16)
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)
