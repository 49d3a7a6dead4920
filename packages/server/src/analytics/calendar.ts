// Splits ranges into days, weeks and months of a time zone. Pure.
import { dayMs, type Granularity, instantOfWallTime, wallTimeAt } from '@vedette/contracts'
import type { Range } from './range.ts'

/** The range, split where a day, week (from Monday) or month begins. Returns at most `limit` + 1 parts. */
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

/** The midnight that ends the day, week or month of this wall time. */
function nextMidnight(wallTime: number, granularity: Granularity): number {
  const date = new Date(wallTime)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (granularity === 'month') return Date.UTC(year, month + 1)
  const days = granularity === 'day' ? 1 : 7 - ((date.getUTCDay() + 6) % 7)
  return Date.UTC(year, month, day) + days * dayMs
}
