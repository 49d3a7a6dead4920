// When a maintenance window is open. Pure arithmetic: its cost doesn't depend on the number of repeats.
import { dayMs } from '../core/durations.ts'
import { instantOfWallTime, wallTimeAt } from '../core/wall-clock.ts'

export interface RepeatingPeriod {
  startsAt: string
  endsAt: string
  repeatInterval: number | null
  repeatUnit: 'DAY' | 'WEEK' | 'MONTH' | null
  repeatEndsAt: string | null
  /** IANA name of the zone whose clocks repeats go by; null: UTC. */
  timezone?: string | null
}

/** In milliseconds since 1970; `end` is the first instant after it. */
export interface Occurrence {
  start: number
  end: number
}

/** The occurrences that overlap [from, to), in order. */
export function occurrences(period: RepeatingPeriod, from: number, to: number): Occurrence[] {
  const series = seriesOf(period)
  return between(series, lastIndex(series, from - series.durationMs), from, to)
}

/** The times within [from, to) in which the window is open, in order and without overlaps. */
export function openTimes(period: RepeatingPeriod, from: number, to: number): Occurrence[] {
  const series = seriesOf(period)
  const clipped = between(series, lastIndex(series, from), from, to).map(({ start, end }) => ({
    start: Math.max(start, from),
    end: Math.min(end, to),
  }))
  return mergeOccurrences(clipped)
}

/** Sorts occurrences, and merges those that overlap or touch. */
export function mergeOccurrences(times: readonly Occurrence[]): Occurrence[] {
  const result: Occurrence[] = []
  for (const { start, end } of times.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else result.push({ start, end })
  }
  return result
}

export function isActive(period: RepeatingPeriod, at: number): boolean {
  const series = seriesOf(period)
  const index = lastIndex(series, at)
  return index >= 0 && at < startOf(series, index) + series.durationMs
}

/** A period with parsed dates; `interval` 0: it doesn't repeat. */
interface Series {
  first: number
  /** choice: the elapsed time of the first one. A clock change moves the wall-clock time of the end, not the length. */
  durationMs: number
  unit: 'DAY' | 'WEEK' | 'MONTH'
  interval: number
  /** choice: the spec leaves it open; no repeat begins at or after repeatEndsAt. */
  endsBefore: number
  timezone: string
  wallTime: number
}

function seriesOf(period: RepeatingPeriod): Series {
  const first = Date.parse(period.startsAt)
  const { repeatInterval, repeatUnit, repeatEndsAt } = period
  const timezone = period.timezone ?? 'UTC'
  const repeats = repeatInterval !== null && repeatUnit !== null
  return {
    first,
    durationMs: Date.parse(period.endsAt) - first,
    unit: repeatUnit ?? 'DAY',
    interval: repeats ? repeatInterval : 0,
    endsBefore: repeatEndsAt === null ? Infinity : Date.parse(repeatEndsAt),
    timezone,
    wallTime: repeats ? wallTimeAt(timezone, first) : first,
  }
}

/** From the index on, those that overlap [from, to). */
function between(series: Series, index: number, from: number, to: number): Occurrence[] {
  const result: Occurrence[] = []
  for (let next = Math.max(0, index); ; next += 1) {
    const start = startOf(series, next)
    if (start >= to) return result
    const end = start + series.durationMs
    if (end > from) result.push({ start, end })
  }
}

/**
 * The index of the last occurrence that starts at or before the instant, or -1. All have the same length and start in
 * order, so it's also the one that ends last.
 */
function lastIndex(series: Series, instant: number): number {
  const { first, interval, unit, timezone, wallTime } = series
  if (instant < first) return -1
  if (interval === 0) return 0
  const latest = Math.min(instant, series.endsBefore - 1)
  const passed = wallTimeAt(timezone, latest)
  const guess =
    unit === 'MONTH' ? monthsFrom(wallTime, passed) : (passed - wallTime) / (unitDays[unit] * dayMs)
  // The guess is off by one if the day of the month, or a clock change, is in between.
  let index = Math.max(0, Math.floor(guess / interval))
  while (index > 0 && startOf(series, index) > latest) index -= 1
  while (startOf(series, index + 1) <= latest) index += 1
  return index
}

/** Infinity: the repeat doesn't exist. Starts are ascending, since no clock change is longer than a day. */
function startOf(series: Series, index: number): number {
  if (index === 0) return series.first
  if (series.interval === 0) return Infinity
  const start = instantOfWallTime(series.timezone, repeatedWallTime(series, index * series.interval))
  return start < series.endsBefore ? start : Infinity
}

function repeatedWallTime({ unit, wallTime }: Series, units: number): number {
  if (unit !== 'MONTH') return wallTime + units * unitDays[unit] * dayMs
  const date = new Date(wallTime)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + units, date.getUTCDate()]
  const timeOfDay = wallTime - Date.UTC(year, date.getUTCMonth(), day)
  // Counted from the first start: a window on the 31st is on the 31st again after a short month.
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(day, lastDay)) + timeOfDay
}

const unitDays = { DAY: 1, WEEK: 7 }

function monthsFrom(wallTime: number, later: number): number {
  const [a, b] = [new Date(wallTime), new Date(later)]
  return (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth()
}
