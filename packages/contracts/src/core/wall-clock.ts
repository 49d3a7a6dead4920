// Converts between instants and the wall-clock time of a zone, as milliseconds as if the zone were UTC. Pure.
import { dayMs } from './durations.ts'

/** Whether it's a zone of the IANA database. Offsets such as +02:00 aren't: they have no clock changes. */
export function isTimezone(name: string): boolean {
  return /^[a-z]/i.test(name) && (name === utc || formatOf(name) !== null)
}

export function wallTimeAt(timezone: string, instant: number): number {
  return instant + offsetAt(timezone, instant)
}

/** The first instant with this wall-clock time. If a clock change skips that time, the instant is later by the change. */
export function instantOfWallTime(timezone: string, wallTime: number): number {
  if (timezone === utc) return wallTime
  // No zone is more than a day from UTC, so a relevant clock change is between these two.
  const before = offsetAt(timezone, wallTime - dayMs)
  const early = wallTime - before
  if (offsetAt(timezone, early) === before) return early
  const after = offsetAt(timezone, wallTime + dayMs)
  const late = wallTime - after
  return offsetAt(timezone, late) === after ? late : early
}

const utc = 'UTC'

/** Divides the time of every clock change since 1970: most are at full hours, some a minute after midnight. */
const stepMs = 30_000

const formats = new Map<string, Intl.DateTimeFormat>()
const maxFormats = 50

/** A cache: the formatter takes 2 µs, a lookup a tenth of it, and windows ask for the same few instants repeatedly. */
const offsets = new Map<string, Map<number, number>>()
const maxOffsets = 10_000

function offsetAt(timezone: string, instant: number): number {
  if (timezone === utc) return 0
  const step = Math.floor(instant / stepMs)
  let known = offsets.get(timezone)
  const found = known?.get(step)
  if (found !== undefined) return found
  if (known === undefined) {
    if (offsets.size >= maxFormats) offsets.clear()
    known = new Map()
    offsets.set(timezone, known)
  }
  if (known.size >= maxOffsets) known.clear()
  const offset = readOffset(timezone, step * stepMs)
  known.set(step, offset)
  return offset
}

function readOffset(timezone: string, instant: number): number {
  const format = formatOf(timezone)
  // Another release may not know a stored zone: use UTC instead of failing.
  if (format === null) return 0
  const shown = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(format.format(instant))
  if (shown === null) throw new Error(`Unexpected date format: ${format.format(instant)}`)
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = shown.slice(1).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant
}

/** Null: the zone doesn't exist. */
function formatOf(timezone: string): Intl.DateTimeFormat | null {
  const known = formats.get(timezone)
  if (known !== undefined) return known
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...shape })
    if (formats.size >= maxFormats) formats.clear()
    formats.set(timezone, format)
    return format
  } catch {
    return null
  }
}

const shape = {
  calendar: 'gregory',
  numberingSystem: 'latn',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const
