// Days, weeks and months as a time zone has them, in milliseconds. Pure.
import type { Granularity } from '@vedette/contracts'
import type { Range } from './range.ts'

const dayMs = 86_400_000

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** The parts of the range, cut where a day, week (from Monday) or month begins; at most one more than `limit`. */
export function calendarRanges(
  { from, to }: Range,
  granularity: Granularity,
  timezone: string,
  limit: number,
): Range[] {
  const ranges: Range[] = []
  const clock = wallClock(timezone)
  for (let begin = from; begin < to && ranges.length <= limit; ) {
    const next = Math.max(begin + 1, beginOf(nextDate(clock(begin), granularity), clock))
    ranges.push({ from: begin, to: Math.min(next, to) })
    begin = next
  }
  return ranges
}

/** The wall clock's date and time, told as if they were UTC. */
type WallClock = (instant: number) => number

function wallClock(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (instant) => {
    const parts = Object.fromEntries(
      format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
    )
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) + (instant % 1000)
  }
}

/** Midnight of the day after the one, week or month that this wall time lies in. */
function nextDate(wall: number, granularity: Granularity): number {
  const date = new Date(wall)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  if (granularity === 'month') return Date.UTC(year, month + 1)
  const days = granularity === 'day' ? 1 : 7 - ((date.getUTCDay() + 6) % 7)
  return Date.UTC(year, month, day) + days * dayMs
}

/** When the wall clock shows this; where it is skipped, when the clock jumps over it. */
function beginOf(wall: number, clock: WallClock): number {
  let instant = wall
  // The second look corrects an offset that changed between the guess and the answer.
  for (let look = 0; look < 2; look++) instant += wall - clock(instant)
  return instant
}
