// A lane's slots as arithmetic: slot n is at phase + n × period, and is served by each of its locations in turn.
// Pure: what passed, what comes next and where. Whole milliseconds, no clock.

export interface LaneTiming {
  periodMs: number
  phaseMs: number
  /** Which of the locations serves slot 0. */
  turn: number
  locations: readonly string[]
  queues: readonly string[]
}

export interface Slot {
  at: number
  location: string
  queue: string
}

export function slotOf(lane: LaneTiming, n: number): Slot {
  const count = lane.locations.length
  const place = (((n + lane.turn) % count) + count) % count
  return {
    at: lane.phaseMs + n * lane.periodMs,
    location: lane.locations[place] ?? '',
    queue: lane.queues[place] ?? '',
  }
}

/** The slot at this instant, or the last one before it. */
export function slotAtOrBefore(lane: LaneTiming, instant: number): Slot {
  return slotOf(lane, numberAtOrBefore(lane, instant))
}

/** Strictly after: whoever asks at a slot's own instant has that slot already. */
export function slotAfter(lane: LaneTiming, instant: number): Slot {
  return slotOf(lane, numberAtOrBefore(lane, instant) + 1)
}

function numberAtOrBefore({ phaseMs, periodMs }: LaneTiming, instant: number): number {
  return Math.floor((instant - phaseMs) / periodMs)
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

const hourMs = 3_600_000

/** The slots in [from, to), counted by hour and location, those while no server was alive apart. */
export function passedSlots(
  lane: LaneTiming,
  { from, to }: Span,
  outages: readonly Span[] = [],
): PassedSlots[] {
  const passed: PassedSlots[] = []
  if (to <= from) return passed
  for (const piece of cut(from, to, outages)) {
    const first = numberAtOrBefore(lane, piece.from - 1) + 1
    const end = numberAtOrBefore(lane, piece.to - 1) + 1
    for (const [place, location] of lane.locations.entries()) {
      const count = inTurn(first, end, lane, place)
      if (count > 0) passed.push({ hour: hourOf(piece.from), location, count, isInOutage: piece.isInOutage })
    }
  }
  return passed
}

export function hourOf(instant: number): number {
  return Math.floor(instant / hourMs) * hourMs
}

/** How many n in [first, end) are this location's turn. */
function inTurn(first: number, end: number, { turn, locations }: LaneTiming, place: number): number {
  const count = locations.length
  const below = (n: number) => Math.ceil((n + turn - place) / count)
  return Math.max(0, below(end) - below(first))
}

/** Cut at full hours and at the edges of outages. */
function cut(from: number, to: number, outages: readonly Span[]): (Span & { isInOutage: boolean })[] {
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
