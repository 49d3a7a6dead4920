// What clocks on the wall of a time zone show, told in milliseconds as if it were UTC; and back. Pure.
import { dayMs } from './durations.ts'

/** The name of a zone in the IANA database; offsets such as +02:00, which know no clock changes, are none. */
export function isTimezone(name: string): boolean {
  return /^[a-z]/i.test(name) && (name === utc || formatOf(name) !== null)
}

export function wallTimeAt(timezone: string, instant: number): number {
  return instant + offsetAt(timezone, instant)
}

/** The first instant at which the clock shows this; where it is skipped, as much later as the clock jumps. */
export function instantOfWallTime(timezone: string, wallTime: number): number {
  if (timezone === utc) return wallTime
  // No zone is further than a day from UTC: a change of clocks that matters lies between these two.
  const before = offsetAt(timezone, wallTime - dayMs)
  const early = wallTime - before
  if (offsetAt(timezone, early) === before) return early
  const after = offsetAt(timezone, wallTime + dayMs)
  const late = wallTime - after
  return offsetAt(timezone, late) === after ? late : early
}

const utc = 'UTC'

/** The finest step at which a zone changed its clocks since 1970; most do at full hours, some at a minute past midnight. */
const stepMs = 30_000

const formats = new Map<string, Intl.DateTimeFormat>()
const maxFormats = 50

/** Asking the formatter takes 2 µs, asking here a tenth of it; windows ask for the same few instants again and again. */
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
  // A name that was valid when it was stored may be unknown to another release: such a zone is UTC, not an error for all.
  if (format === null) return 0
  const shown = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(format.format(instant))
  if (shown === null) throw new Error(`Unexpected form of a date: ${format.format(instant)}`)
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = shown.slice(1).map(Number)
  return Date.UTC(year, month - 1, day, hour, minute, second) - instant
}

/** Null: there is no such zone. */
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
