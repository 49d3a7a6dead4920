// The slots of a lane: slot n is at phase + n × period, and the locations serve slots in turn. Pure, in whole milliseconds.
import { hourMs } from '@vedette/contracts'
import type { Lane } from '../storage/runs/schedule.ts'

export interface LaneTiming {
  periodMs: number
  phaseMs: number
  /** Which of the locations serves slot 0. */
  turn: number
  locations: readonly string[]
  queues: readonly string[]
}

/** Throws for on-demand runs, which have no slots. */
export function timingOf({ periodMs, phaseMs, turn, locations, queues, id }: Lane): LaneTiming {
  if (periodMs === null || phaseMs === null) throw new Error(`lane ${id} has no period`)
  return { periodMs, phaseMs, turn, locations, queues }
}

export interface Slot {
  at: number
  location: string
  queue: string
}

export function slotOf(lane: LaneTiming, n: number): Slot {
  const count = lane.locations.length
  const index = (((n + lane.turn) % count) + count) % count
  return {
    at: lane.phaseMs + n * lane.periodMs,
    location: lane.locations[index] ?? '',
    queue: lane.queues[index] ?? '',
  }
}

/** The slot at this instant, or the last one before it. */
export function slotAtOrBefore(lane: LaneTiming, instant: number): Slot {
  return slotOf(lane, numberAtOrBefore(lane, instant))
}

/** Strictly after: at the instant of a slot, that slot is already due. */
export function slotAfter(lane: LaneTiming, instant: number): Slot {
  return slotOf(lane, numberAtOrBefore(lane, instant) + 1)
}

function numberAtOrBefore({ phaseMs, periodMs }: LaneTiming, instant: number): number {
  return Math.floor((instant - phaseMs) / periodMs)
}

/** The lane without a run in progress, waiting for this slot. */
export function idleLane(lane: Lane, { at, location, queue }: Slot): Lane {
  return {
    ...lane,
    slotAt: at,
    location,
    queue,
    dueAt: at,
    runId: null,
    attempt: 1,
    runStartedAt: null,
    countedTo: null,
    leaseId: null,
    agentId: null,
  }
}

export interface Span {
  from: number
  to: number
}

export interface PassedSlots {
  hour: number
  location: string
  count: number
  isInOutage: boolean
}

/** The slots in [from, to), counted by hour, location, and whether a server was alive. */
export function passedSlots(
  lane: LaneTiming,
  { from, to }: Span,
  outages: readonly Span[] = [],
): PassedSlots[] {
  const passed: PassedSlots[] = []
  if (to <= from) return passed
  for (const piece of splitSpan(from, to, outages)) {
    const first = numberAtOrBefore(lane, piece.from - 1) + 1
    const end = numberAtOrBefore(lane, piece.to - 1) + 1
    for (const [index, location] of lane.locations.entries()) {
      const count = countTurns(first, end, lane, index)
      if (count > 0) passed.push({ hour: hourOf(piece.from), location, count, isInOutage: piece.isInOutage })
    }
  }
  return passed
}

export function hourOf(instant: number): number {
  return Math.floor(instant / hourMs) * hourMs
}

/** How many n in [first, end) the location at this index serves. */
function countTurns(first: number, end: number, { turn, locations }: LaneTiming, index: number): number {
  const count = locations.length
  const below = (n: number) => Math.ceil((n + turn - index) / count)
  return Math.max(0, below(end) - below(first))
}

/** Splits at full hours and where outages begin and end. */
function splitSpan(from: number, to: number, outages: readonly Span[]): (Span & { isInOutage: boolean })[] {
  const edges = new Set([from, to])
  for (let hour = hourOf(from) + hourMs; hour < to; hour += hourMs) edges.add(hour)
  for (const edge of outages.flatMap((outage) => [outage.from, outage.to])) {
    if (edge > from && edge < to) edges.add(edge)
  }
  const sorted = [...edges].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => {
    const start = sorted[index] ?? from
    const isInOutage = outages.some((outage) => outage.from <= start && start < outage.to)
    return { from: start, to: end, isInOutage }
  })
}
