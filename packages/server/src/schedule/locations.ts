// Where a check runs: round robin uses one location for each slot, runParallel all of them. The location of slot n depends on
// n and the list only, so a changed list never changes when slots are due.
import { spread } from './slots.ts'

interface CheckLocations {
  locations: readonly string[] | null | undefined
  privateLocations: readonly string[] | null | undefined
}

/** Data centers first, then private locations, sorted: the order in which clients send them doesn't matter. */
export function rotationOf(check: CheckLocations): string[] {
  return [...namesOf(check.locations), ...namesOf(check.privateLocations)]
}

/** Spreads checks of the same frequency over the locations. */
export function firstTurn(id: string, count: number): number {
  return count === 0 ? 0 : spread(id, 'turn', count)
}

function namesOf(list: readonly string[] | null | undefined): string[] {
  return [...new Set(list ?? [])].sort()
}
