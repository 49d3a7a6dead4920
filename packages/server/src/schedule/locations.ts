// Where a check runs: round robin takes one location per slot, runParallel all of them. Which location serves slot n
// follows from n alone, so a changed list changes places and never times: no slot comes twice, none in a burst.
import { spread } from './slots.ts'

export interface Placement {
  id: string
  locations: readonly string[] | null | undefined
  privateLocations: readonly string[] | null | undefined
}

/** Data centers first, then private locations, each by name: a list sent in another order is the same list. */
export function rotationOf(check: Placement): string[] {
  return [...namesOf(check.locations), ...namesOf(check.privateLocations)]
}

/** Without it all checks of one frequency would be in the same location at the same time. */
export function firstTurn(id: string, count: number): number {
  return count === 0 ? 0 : spread(id, 'turn', count)
}

function namesOf(list: readonly string[] | null | undefined): string[] {
  return [...new Set(list ?? [])].sort()
}
