// Parses relative dates: "2 days ago", "next monday", "tomorrow at 9:30". All in UTC.
import { weekdays } from './date-format.ts'

/** Null: the phrase isn't valid. */
export function dateOfPhrase(phrase: string, now: Date): Date | null {
  const text = phrase.trim().toLowerCase().replace(/\s+/g, ' ')
  if (text.length > 100) return null
  const absolute = absoluteDate(text)
  if (absolute !== null) return absolute
  const [, day = '', time] = /^(.*?)(?:(?:^| )at (.+))?$/.exec(text) ?? []
  const date = dayOf(day, now)
  const moved = date !== null && time !== undefined ? atTime(date, time) : date
  return moved === null || Number.isNaN(moved.getTime()) ? null : moved
}

function dayOf(text: string, now: Date): Date | null {
  const fixed = fixedDays.get(text)
  if (fixed !== undefined) return fixed(now)
  return shifted(text, now) ?? namedDay(text, now)
}

const fixedDays = new Map<string, (now: Date) => Date | null>([
  ['', (now) => now],
  ['now', (now) => now],
  ['today', (now) => now],
  ['tomorrow', (now) => add(now, 1, 'day')],
  ['yesterday', (now) => add(now, -1, 'day')],
  ['midnight', (now) => timeOf(now, 0, 0, 0)],
  ['noon', (now) => timeOf(now, 12, 0, 0)],
])

const unitMs = new Map<string, number>([
  ['millisecond', 1],
  ['ms', 1],
  ['second', 1000],
  ['sec', 1000],
  ['minute', 60_000],
  ['min', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 604_800_000],
])

const counts = ['', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** "3 days ago", "in 2 hours", "an hour from now", "last week". */
function shifted(text: string, now: Date): Date | null {
  const step = /^(next|last|previous) (\w+)$/.exec(text)
  if (step?.[2] !== undefined) return add(now, step[1] === 'next' ? 1 : -1, step[2])
  const past = /^(\w+) (\w+) (?:ago|before)$/.exec(text)
  if (past?.[1] !== undefined && past[2] !== undefined) return add(now, -countOf(past[1]), past[2])
  const future = /^in (\w+) (\w+)$/.exec(text) ?? /^(\w+) (\w+) (?:from now|later|hence)$/.exec(text)
  if (future?.[1] !== undefined && future[2] !== undefined) return add(now, countOf(future[1]), future[2])
  return null
}

/** NaN: not a count. */
function countOf(text: string): number {
  if (text === 'a' || text === 'an') return 1
  if (counts.includes(text)) return counts.indexOf(text)
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}

function add(now: Date, count: number, unit: string): Date | null {
  const name = unit.replace(/s$/, unit === 'ms' ? 's' : '')
  const ms = unitMs.get(name)
  if (ms !== undefined) return new Date(now.getTime() + count * ms)
  if (name === 'month') return addMonths(now, count)
  return name === 'year' ? addMonths(now, count * 12) : null
}

/** A day that the month doesn't have becomes its last. */
function addMonths(now: Date, count: number): Date {
  const date = new Date(now)
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + count)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(now.getUTCDate(), lastDay))
  return date
}

/** "monday" and "next monday": the first one after today; "last monday": the last one before. */
function namedDay(text: string, now: Date): Date | null {
  const match = /^(?:(next|this|last|previous) )?(\w{3,})$/.exec(text)
  const index = weekdays.findIndex(
    (name) => match?.[2] === name.toLowerCase() || match?.[2] === name.toLowerCase().slice(0, 3),
  )
  if (match === null || index === -1) return null
  const ahead = (index - now.getUTCDay() + 7) % 7 || 7
  const isPast = match[1] === 'last' || match[1] === 'previous'
  return add(now, isPast ? (ahead === 7 ? -7 : ahead - 7) : ahead, 'day')
}

/** "9", "9:30", "9:30:15", "5pm", "noon". */
function atTime(date: Date, text: string): Date | null {
  if (text === 'noon') return timeOf(date, 12, 0, 0)
  if (text === 'midnight') return timeOf(date, 0, 0, 0)
  const match = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))? ?(am|pm)?$/.exec(text)
  if (match === null) return null
  const [, hourText, minuteText = '0', secondText = '0', half] = match
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half === 'pm' ? 12 : 0)
  if (hour > 23 || Number(minuteText) > 59 || Number(secondText) > 59) return null
  return timeOf(date, hour, Number(minuteText), Number(secondText))
}

function timeOf(date: Date, hour: number, minute: number, second: number): Date {
  const moved = new Date(date)
  moved.setUTCHours(hour, minute, second, 0)
  return moved
}

/** ISO 8601; one without a zone is in UTC. */
function absoluteDate(text: string): Date | null {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[t ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(z|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  if (match === null) return null
  const [, day, time, zone = 'z'] = match
  const date = new Date(time === undefined ? `${day}` : `${day}T${time}${zone.toUpperCase()}`)
  return Number.isNaN(date.getTime()) ? null : date
}
