// Formats dates with the tokens of moment, in UTC, so that the zone of the agent has no effect.

/** Text in [brackets] is literal. */
const tokens =
  /\[([^\]]*)\]|YYYY|YY|Q|MMMM|MMM|MM|Mo|M|DDDD|DDD|DD|Do|D|dddd|ddd|dd|d|E|HH|H|hh|h|kk|k|mm|m|ss|s|S{1,9}|A|a|ZZ|Z|X|x|GGGG|WW|W/g

const month = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

export function formatDate(instant: Date, pattern: string): string {
  return pattern.replace(tokens, (token: string, literal: string | undefined) => {
    if (literal !== undefined) return literal
    if (token.startsWith('S')) return fraction(instant, token.length)
    const text = texts[token]?.(instant)
    if (text !== undefined) return text
    const number = numbers[token.charAt(0)]?.(instant) ?? 0
    return token.endsWith('o') ? ordinal(number) : pad(number, token.length)
  })
}

const dayMs = 86_400_000

/** `M` shows the number, `MM` pads it to two digits, `Mo` shows it as an ordinal. */
const numbers: Record<string, (at: Date) => number> = {
  Q: (at) => Math.floor(at.getUTCMonth() / 3) + 1,
  M: (at) => at.getUTCMonth() + 1,
  D: (at) => at.getUTCDate(),
  d: (at) => at.getUTCDay(),
  E: isoWeekday,
  H: (at) => at.getUTCHours(),
  h: (at) => at.getUTCHours() % 12 || 12,
  k: (at) => at.getUTCHours() || 24,
  m: (at) => at.getUTCMinutes(),
  s: (at) => at.getUTCSeconds(),
  X: (at) => Math.floor(at.getTime() / 1000),
  x: (at) => at.getTime(),
  W: (at) => isoWeek(at).week,
}

const texts: Record<string, (at: Date) => string> = {
  YYYY: (at) => pad(at.getUTCFullYear(), 4),
  YY: (at) => pad(at.getUTCFullYear() % 100, 2),
  MMMM: (at) => month.format(at),
  MMM: (at) => month.format(at).slice(0, 3),
  DDDD: (at) => pad(dayOfYear(at), 3),
  DDD: (at) => String(dayOfYear(at)),
  dddd: weekdayOf,
  ddd: (at) => weekdayOf(at).slice(0, 3),
  dd: (at) => weekdayOf(at).slice(0, 2),
  A: (at) => (at.getUTCHours() < 12 ? 'AM' : 'PM'),
  a: (at) => (at.getUTCHours() < 12 ? 'am' : 'pm'),
  Z: () => '+00:00',
  ZZ: () => '+0000',
  GGGG: (at) => pad(isoWeek(at).year, 4),
}

function weekdayOf(at: Date): string {
  return weekdays[at.getUTCDay()] ?? ''
}

function pad(value: number, digits: number): string {
  return String(value).padStart(digits, '0')
}

function fraction(at: Date, digits: number): string {
  return pad(at.getUTCMilliseconds(), 3).padEnd(9, '0').slice(0, digits)
}

function ordinal(value: number): string {
  const isTeen = value % 100 >= 11 && value % 100 <= 13
  return `${value}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')}`
}

function dayOfYear(at: Date): number {
  return Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / dayMs) + 1
}

function isoWeekday(at: Date): number {
  return at.getUTCDay() || 7
}

/** The week belongs to the year of its Thursday. */
function isoWeek(at: Date): { year: number; week: number } {
  const thursday = new Date(at.getTime() + (4 - isoWeekday(at)) * dayMs)
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) }
}
