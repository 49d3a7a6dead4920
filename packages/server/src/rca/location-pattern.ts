// Whether a check fails everywhere or in one location, by the runs since the failures began.
import type { Evidence, EvidenceRun } from './evidence.ts'
import { locationOf } from './finding.ts'

export interface LocationPattern {
  /** `unknown`: the check ran in one location only. */
  pattern: 'one' | 'some' | 'all' | 'unknown'
  here: EvidenceRun[]
  /** Runs in the other locations. */
  elsewhere: EvidenceRun[]
  /** Display names. */
  failedLocations: string[]
  passedLocations: string[]
}

/** Runs of other locations within this time of a failure count as simultaneous. */
export const sameTimeMs = 60_000

export function locationPattern({ failing, since }: Evidence): LocationPattern {
  const counted = since.filter(({ outcome, location }) => outcome !== 'error' && location !== '')
  const lastFailure = Math.max(failing.at, ...counted.flatMap((run) => (run.isInGroup ? [run.at] : [])))
  const here = counted.filter(({ at, location }) => location === failing.location && at <= lastFailure)
  const others = counted.filter(({ location }) => location !== failing.location)
  const during = others.filter(({ at }) => at <= lastFailure + sameTimeMs)
  const isOver = counted.some(
    ({ at, location, outcome }) => location === failing.location && at > lastFailure && outcome === 'passed',
  )
  // Once the failures ended everywhere, passes in other locations don't show that only this one was affected.
  const elsewhere = during.length > 0 || isOver ? during : others
  const locationsOf = (outcome: EvidenceRun['outcome']) =>
    [...new Set(elsewhere.filter((run) => run.outcome === outcome).map(locationOf))].sort()
  const [failed, passed] = [locationsOf('failed'), locationsOf('passed')]
  const isSteady = here.every(({ outcome }) => outcome === 'failed')
  const both = { here, elsewhere, failedLocations: [locationOf(failing), ...failed], passedLocations: passed }
  if (elsewhere.length === 0 || here.length === 0) return { pattern: 'unknown', ...both }
  if (failed.length === 0) return { pattern: isSteady ? 'one' : 'some', ...both }
  return { pattern: passed.length === 0 && isSteady ? 'all' : 'some', ...both }
}
