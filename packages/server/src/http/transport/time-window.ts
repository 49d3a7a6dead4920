import { invalidInput, maxWindowHours } from '@vedette/contracts'

export interface TimeWindow {
  /** Milliseconds; `from` inclusive, `to` exclusive. */
  from: number
  to: number
}

const hourMs = 3_600_000
/** No year with more digits is known to the store. */
const lastMs = Date.UTC(10_000, 0, 1) - 1

interface Given {
  from?: number | undefined
  to?: number | undefined
}

/** From UNIX seconds as the query has them; at most 6 hours (spec §4.10) where a list has no other limit. */
export function windowOf({ from, to }: Given, now: number, maxHours: number = maxWindowHours): TimeWindow {
  const maxMs = maxHours * hourMs
  const end = to === undefined ? undefined : milliseconds(to)
  const start = from === undefined ? startBefore(end, now, maxMs) : milliseconds(from)
  const window = { from: start, to: end ?? Math.min(start + maxMs, lastMs) }
  if (window.to <= window.from) throw invalidInput([{ path: ['to'], message: 'must be after from' }])
  if (window.to - window.from > maxMs) {
    throw invalidInput([{ path: ['to'], message: `must be at most ${maxHours} hours after from` }])
  }
  return window
}

/** Seconds with a fraction are no whole milliseconds as floating-point numbers. */
const milliseconds = (seconds: number) => Math.round(seconds * 1000)

/** choice: as long before now as a window may be, unless `to` alone makes that no window at all: then before `to`. */
function startBefore(end: number | undefined, now: number, maxMs: number): number {
  const usual = now - maxMs
  return end === undefined || (end > usual && end <= now) ? usual : Math.max(0, end - maxMs)
}
