// Days, weeks and months as a time zone has them, in milliseconds. Pure.
import { dayMs, type Granularity, instantOfWallTime, wallTimeAt } from '@vedette/contracts'
import type { Range } from './range.ts'

/** The parts of the range, cut where a day, week (from Monday) or month begins; at most one more than `limit`. */
export function calendarRanges(
  { from, to }: Range,
  granularity: Granularity,
  timezone: string,
  limit: number,
): Range[] {
  const ranges: Range[] = []
  for (let begin = from; begin < to && ranges.length <= limit; ) {
    const midnight = nextMidnight(wallTimeAt(timezone, begin), granularity)
    const next = Math.max(begin + 1, instantOfWallTime(timezone, midnight))
    ranges.push({ from: begin, to: Math.min(next, to) })
    begin = next
  }
  return ranges
}

/** Of the day after the one, week or month that this wall time lies in. */
function nextMidnight(wallTime: number, granularity: Granularity): number {
  const date = new Date(wallTime)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (granularity === 'month') return Date.UTC(year, month + 1)
  const days = granularity === 'day' ? 1 : 7 - ((date.getUTCDay() + 6) % 7)
  return Date.UTC(year, month, day) + days * dayMs
}
