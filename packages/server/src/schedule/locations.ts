// Where a check runs: round robin takes one location per slot, runParallel all of them. Which location serves slot n
// follows from n alone, so a changed list changes places and never times: no slot comes twice, none in a burst.
import { periodOf, phaseOf, spread, type Timing } from './slots.ts'

export interface Placement {
  id: string
  locations: readonly string[] | null | undefined
  privateLocations: readonly string[] | null | undefined
  runParallel: boolean
}

/** One location's share of a check's slots: due at phaseMs + n × periodMs. */
export interface Track {
  location: string
  periodMs: number
  phaseMs: number
}

/** The locations that serve a slot; none when the check has no location at all. */
export function locationsForSlot(check: Placement, slot: number): string[] {
  const order = rotationOf(check)
  if (check.runParallel || order.length === 0) return order
  const location = order[remainder(slot + firstTurn(check.id, order.length), order.length)]
  return location === undefined ? [] : [location]
}

/**
 * The same as one arithmetic row per location: round robin over L locations gives each of them every L-th slot, so a
 * row knows its next slot without asking the others.
 */
export function tracksOf(check: Placement & Timing): Track[] {
  const order = rotationOf(check)
  const period = periodOf(check)
  const phase = phaseOf(check)
  if (check.runParallel) return order.map((location) => ({ location, periodMs: period, phaseMs: phase }))
  const first = firstTurn(check.id, order.length)
  return order.map((location, index) => ({
    location,
    periodMs: period * order.length,
    phaseMs: phase + period * remainder(index - first, order.length),
  }))
}

/** Data centers first, then private locations, each by name: a list sent in another order is the same list. */
export function rotationOf(check: Placement): string[] {
  return [...namesOf(check.locations), ...namesOf(check.privateLocations)]
}

function namesOf(list: readonly string[] | null | undefined): string[] {
  return [...new Set(list ?? [])].sort()
}

/** Without it all checks of one frequency would be in the same location at the same time. */
function firstTurn(id: string, count: number): number {
  return count === 0 ? 0 : spread(id, 'turn', count)
}

function remainder(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor
}
