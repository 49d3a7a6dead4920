import { invalidInput, maxWindowHours } from '@vedette/contracts'

export interface TimeWindow {
  /** Milliseconds; `from` inclusive, `to` exclusive. */
  from: number
  to: number
}

const maxMs = maxWindowHours * 3_600_000

interface Given {
  from?: number | undefined
  to?: number | undefined
}

/** From UNIX seconds as the query has them, at most 6 hours (spec §4.10). */
export function windowOf({ from, to }: Given, now: number): TimeWindow {
  const end = to === undefined ? undefined : to * 1000
  const start = from === undefined ? startBefore(end, now) : from * 1000
  const window = { from: start, to: end ?? start + maxMs }
  if (window.to <= window.from) throw invalidInput([{ path: ['to'], message: 'must be after from' }])
  if (window.to - window.from > maxMs) {
    throw invalidInput([{ path: ['to'], message: `must be at most ${maxWindowHours} hours after from` }])
  }
  return window
}

/** choice: 6 hours before now, unless `to` alone makes that no window at all: then before `to`. */
function startBefore(end: number | undefined, now: number): number {
  const usual = now - maxMs
  return end === undefined || (end > usual && end <= now) ? usual : Math.max(0, end - maxMs)
}
