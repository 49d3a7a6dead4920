// The days of a month as a calendar shows them: whole weeks, Monday first. Days are UTC dates of wall-clock times.
import { ownTimezone, wallTimeOf } from '../../core/zoned-time.ts'

const dayMs = 86_400_000

export interface CalendarDay {
  /** `2026-11-20`. */
  date: string
  isInMonth: boolean
}

/** `2026-11` of the address; anything else: the month of `now`. */
export function readMonth(text: string | null, now: number, timezone: string): string {
  if (text !== null && /^\d{4}-(0[1-9]|1[0-2])$/.test(text)) return text
  return new Date(wallTimeOf(now, timezone)).toISOString().slice(0, 7)
}

export function shiftMonth(month: string, by: number): string {
  const first = new Date(`${month}-01T00:00:00Z`)
  first.setUTCMonth(first.getUTCMonth() + by)
  return first.toISOString().slice(0, 7)
}

export function weeksOf(month: string): CalendarDay[][] {
  const first = Date.parse(`${month}-01T00:00:00Z`)
  const fromMonday = (new Date(first).getUTCDay() + 6) % 7
  const weeks: CalendarDay[][] = []
  for (let day = first - fromMonday * dayMs; ; day += 7 * dayMs) {
    const week = Array.from({ length: 7 }, (_, index) => {
      const date = new Date(day + index * dayMs).toISOString().slice(0, 10)
      return { date, isInMonth: date.startsWith(month) }
    })
    if (!week.some(({ isInMonth }) => isInMonth)) return weeks
    weeks.push(week)
  }
}

export interface Period {
  startsAt: string
  endsAt: string
}

/** The dates that it touches in the zone; the end doesn't belong to it. */
export function touchesDay({ startsAt, endsAt }: Period, date: string, timezone: string): boolean {
  const begin = Date.parse(`${date}T00:00:00Z`)
  return (
    wallTimeOf(Date.parse(startsAt), timezone) < begin + dayMs &&
    wallTimeOf(Date.parse(endsAt), timezone) > begin
  )
}

/** `2026-11` → `November 2026`. */
export function monthName(month: string): string {
  return new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    Date.parse(`${month}-01T00:00:00Z`),
  )
}

/** Seconds around all days that the calendar of the month shows, in any zone. */
export function rangeOf(month: string): { from: number; to: number } {
  const days = weeksOf(month).flat()
  const [first, last] = [days[0]?.date ?? '', days.at(-1)?.date ?? '']
  return {
    from: Date.parse(`${first}T00:00:00Z`) / 1000 - 86_400,
    to: Date.parse(`${last}T00:00:00Z`) / 1000 + 2 * 86_400,
  }
}

export function zoneOf(isUtc: boolean): string {
  return isUtc ? 'UTC' : ownTimezone()
}
