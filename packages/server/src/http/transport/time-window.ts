import { hourMs, invalidInput, maxWindowHours } from '@vedette/contracts'

export interface TimeWindow {
  /** Milliseconds; `from` inclusive, `to` exclusive. */
  from: number
  to: number
}

/** The last instant of year 9999: ISO text of later years has another form. */
const lastMs = Date.UTC(10_000, 0, 1) - 1

interface Given {
  from?: number | undefined
  to?: number | undefined
}

/** From the UNIX seconds of the query; at most 6 hours (spec §4.10) unless the list has another limit. */
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

/** Rounded: 1.1 * 1000 isn't a whole number in floating point. */
const milliseconds = (seconds: number) => Math.round(seconds * 1000)

/** choice: the longest window before now. If `to` is in the future or before that window, the longest window before `to`. */
function startBefore(end: number | undefined, now: number, maxMs: number): number {
  const usual = now - maxMs
  return end === undefined || (end > usual && end <= now) ? usual : Math.max(0, end - maxMs)
}
