// When a maintenance window is open: pure arithmetic in UTC, so that a day is always 24 hours.

export interface RepeatingPeriod {
  startsAt: string
  endsAt: string
  repeatInterval: number | null
  repeatUnit: 'DAY' | 'WEEK' | 'MONTH' | null
  repeatEndsAt: string | null
}

/** In milliseconds since 1970; `end` is the first instant after it. */
export interface Occurrence {
  start: number
  end: number
}

const dayMs = 86_400_000

/** What of the window lies at least partly in [from, to), in order. */
export function occurrences(period: RepeatingPeriod, from: number, to: number): Occurrence[] {
  const first = Date.parse(period.startsAt)
  const durationMs = Date.parse(period.endsAt) - first
  const result: Occurrence[] = []
  const add = (start: number): void => {
    if (start + durationMs > from && start < to) result.push({ start, end: start + durationMs })
  }
  const { repeatInterval, repeatUnit } = period
  if (repeatInterval === null || repeatUnit === null) {
    add(first)
    return result
  }
  // choice: the wire does not say; nothing begins at or after repeatEndsAt.
  const last = Math.min(to, period.repeatEndsAt === null ? Infinity : Date.parse(period.repeatEndsAt))
  let index = Math.max(0, indexBefore(first, from - durationMs, repeatInterval, repeatUnit))
  for (let start = startOf(first, index, repeatInterval, repeatUnit); start < last; ) {
    add(start)
    index += 1
    start = startOf(first, index, repeatInterval, repeatUnit)
  }
  return result
}

/** Looks at the newest start alone: all last equally long, so an older one never outlasts it. */
export function isActive(period: RepeatingPeriod, at: number): boolean {
  const first = Date.parse(period.startsAt)
  if (at < first) return false
  const durationMs = Date.parse(period.endsAt) - first
  const { repeatInterval, repeatUnit } = period
  if (repeatInterval === null || repeatUnit === null) return at < first + durationMs
  const latest = period.repeatEndsAt === null ? at : Math.min(at, Date.parse(period.repeatEndsAt) - 1)
  let index = Math.max(0, indexBefore(first, latest, repeatInterval, repeatUnit))
  while (startOf(first, index + 1, repeatInterval, repeatUnit) <= latest) index += 1
  return at < startOf(first, index, repeatInterval, repeatUnit) + durationMs
}

function startOf(first: number, index: number, interval: number, unit: 'DAY' | 'WEEK' | 'MONTH'): number {
  if (unit !== 'MONTH') return first + index * interval * unitMs[unit]
  const date = new Date(first)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth() + index * interval
  // Always counted from the first start: a window of the 31st comes back to the 31st after a short month.
  const day = Math.min(date.getUTCDate(), daysInMonth(year, month))
  return Date.UTC(year, month, day) + (first % dayMs)
}

const unitMs = { DAY: dayMs, WEEK: 7 * dayMs }

/** An index whose occurrence starts at or before the instant, found without walking there. */
function indexBefore(
  first: number,
  instant: number,
  interval: number,
  unit: 'DAY' | 'WEEK' | 'MONTH',
): number {
  if (unit !== 'MONTH') return Math.floor((instant - first) / (interval * unitMs[unit]))
  const [a, b] = [new Date(first), new Date(instant)]
  const months = (b.getUTCFullYear() - a.getUTCFullYear()) * 12 + b.getUTCMonth() - a.getUTCMonth()
  return Math.floor((months - 1) / interval)
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
}
