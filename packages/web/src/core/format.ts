// Numbers and times for people: three significant digits with units, relative times, exact times.

/** 312 ms, 1.24 s, 2 min 5 s, 3 h 20 min. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${ms < 10 ? Number(ms.toPrecision(2)) : Math.round(ms)} ms`
  if (ms < 59_950) return `${Number((ms / 1000).toPrecision(3))} s`
  return formatSpan(ms)
}

const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** The two largest units: 5 s, 2 min 5 s, 3 h 20 min, 12 d. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  const index = units.findIndex(([, size]) => seconds >= size)
  const [unit, size] = units[index] ?? ['s', 1]
  const whole = Math.floor(seconds / size)
  const [nextUnit, nextSize] = units[index + 1] ?? ['', 1]
  const rest = Math.floor((seconds % size) / nextSize)
  return whole < 10 && rest > 0 && nextUnit !== ''
    ? `${whole} ${unit} ${rest} ${nextUnit}`
    : `${whole} ${unit}`
}

/** Never rounded up to 100: 99.996 is 99.99 %. */
export function formatPercent(percent: number): string {
  return `${Math.floor(percent * 100 + 1e-6) / 100} %`
}

const counts = new Intl.NumberFormat('en-US')

export function formatCount(count: number): string {
  return counts.format(count)
}

/** `1 check`, `9,812 checks`. */
export function formatNumberOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3))
  return `${Number((bytes / 1000 ** power).toPrecision(3))} ${['B', 'kB', 'MB', 'GB'][power]}`
}

/** `12 s ago`, `in 5 min`; beyond 30 days the date. */
export function formatRelative(at: number, now: number): string {
  const distance = Math.abs(now - at)
  if (distance < 5_000) return 'just now'
  if (distance > 30 * 86_400_000) return formatDate(at)
  const seconds = Math.round(distance / 1000)
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['s', 1]
  const text = `${Math.floor(seconds / size)} ${unit}`
  return at > now ? `in ${text}` : `${text} ago`
}

export interface TimeOptions {
  isUtc?: boolean
}

const pad = (value: number) => String(value).padStart(2, '0')

function partsOf(at: number, isUtc: boolean) {
  const date = new Date(at)
  return isUtc
    ? [
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
        date.getUTCHours(),
        date.getUTCMinutes(),
        date.getUTCSeconds(),
      ]
    : [
        date.getFullYear(),
        date.getMonth() + 1,
        date.getDate(),
        date.getHours(),
        date.getMinutes(),
        date.getSeconds(),
      ]
}

function formatDate(at: number, { isUtc = false }: TimeOptions = {}): string {
  const [year = 0, month = 0, day = 0] = partsOf(at, isUtc)
  return `${year}-${pad(month)}-${pad(day)}`
}

/** 14:02:11 */
export function formatClock(at: number, { isUtc = false }: TimeOptions = {}): string {
  const [, , , hours = 0, minutes = 0, seconds = 0] = partsOf(at, isUtc)
  return `${pad(hours)}:${pad(minutes)}:${pad(seconds)}`
}

/** 2026-11-16 14:02:11, with UTC after it if asked for. */
export function formatExact(at: number, options: TimeOptions = {}): string {
  return `${formatDate(at, options)} ${formatClock(at, options)}${options.isUtc ? ' UTC' : ''}`
}

/** The time of day, with the date if it isn't that of `now`. */
export function formatMoment(at: number, now: number, options: TimeOptions = {}): string {
  return formatDate(at, options) === formatDate(now, options)
    ? formatClock(at, options)
    : formatExact(at, options)
}

/** Frankfurt; Frankfurt and Ohio; Frankfurt, Ohio and 3 more. */
export function formatList(items: readonly string[], most = 3): string {
  const [first = '', second = ''] = items
  if (items.length <= 1) return first
  if (items.length === 2) return `${first} and ${second}`
  if (items.length <= most) return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
  return `${items.slice(0, most - 1).join(', ')} and ${items.length - most + 1} more`
}
