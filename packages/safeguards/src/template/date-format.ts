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
    return formats[token]?.(instant) ?? token
  })
}

const dayMs = 86_400_000

const formats: Record<string, (at: Date) => string> = {
  YYYY: (at) => pad(at.getUTCFullYear(), 4),
  YY: (at) => pad(at.getUTCFullYear() % 100, 2),
  Q: (at) => String(Math.floor(at.getUTCMonth() / 3) + 1),
  MMMM: (at) => month.format(at),
  MMM: (at) => month.format(at).slice(0, 3),
  MM: (at) => pad(at.getUTCMonth() + 1, 2),
  Mo: (at) => ordinal(at.getUTCMonth() + 1),
  M: (at) => String(at.getUTCMonth() + 1),
  DDDD: (at) => pad(dayOfYear(at), 3),
  DDD: (at) => String(dayOfYear(at)),
  DD: (at) => pad(at.getUTCDate(), 2),
  Do: (at) => ordinal(at.getUTCDate()),
  D: (at) => String(at.getUTCDate()),
  dddd: (at) => weekdays[at.getUTCDay()] ?? '',
  ddd: (at) => (weekdays[at.getUTCDay()] ?? '').slice(0, 3),
  dd: (at) => (weekdays[at.getUTCDay()] ?? '').slice(0, 2),
  d: (at) => String(at.getUTCDay()),
  E: (at) => String(isoWeekday(at)),
  HH: (at) => pad(at.getUTCHours(), 2),
  H: (at) => String(at.getUTCHours()),
  hh: (at) => pad(at.getUTCHours() % 12 || 12, 2),
  h: (at) => String(at.getUTCHours() % 12 || 12),
  kk: (at) => pad(at.getUTCHours() || 24, 2),
  k: (at) => String(at.getUTCHours() || 24),
  mm: (at) => pad(at.getUTCMinutes(), 2),
  m: (at) => String(at.getUTCMinutes()),
  ss: (at) => pad(at.getUTCSeconds(), 2),
  s: (at) => String(at.getUTCSeconds()),
  A: (at) => (at.getUTCHours() < 12 ? 'AM' : 'PM'),
  a: (at) => (at.getUTCHours() < 12 ? 'am' : 'pm'),
  Z: () => '+00:00',
  ZZ: () => '+0000',
  X: (at) => String(Math.floor(at.getTime() / 1000)),
  x: (at) => String(at.getTime()),
  GGGG: (at) => pad(isoWeek(at).year, 4),
  WW: (at) => pad(isoWeek(at).week, 2),
  W: (at) => String(isoWeek(at).week),
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
