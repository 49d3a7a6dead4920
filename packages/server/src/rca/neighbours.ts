// Runs of other checks at the same time, by what they share with the failing one.
import { type Evidence, hostOf, type NeighbourRun } from './evidence.ts'

export interface Neighbours {
  failed: NeighbourRun[]
  passed: NeighbourRun[]
}

/** `location`: on other hosts only, so that what they share is the place they ran in. */
export function neighboursOn(evidence: Evidence, shared: 'host' | 'location'): Neighbours {
  const host = hostOf(evidence)
  const alike = evidence.neighbours.filter((run) =>
    shared === 'host'
      ? host !== null && run.host === host
      : run.location === evidence.failing.location && (host === null || run.host !== host),
  )
  return { failed: alike.filter(({ failed }) => failed), passed: alike.filter(({ failed }) => !failed) }
}
