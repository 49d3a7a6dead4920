// The period of a report: one that ends now, a month, or two days. It is kept in the address. Days and months are those of the user.

export const periods = ['24h', '7d', '30d', '90d', 'this-month', 'last-month'] as const

export type Period = (typeof periods)[number]

export const periodLabels: Record<Period, string> = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  'this-month': 'This month',
  'last-month': 'Last month',
}

const defaultPeriod: Period = '30d'

export interface ReportRange {
  /** Null: two days were chosen. */
  period: Period | null
  /** Seconds. */
  from: number
  to: number
}

const daySeconds = 86_400
const days: Partial<Record<Period, number>> = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 }

export function readReportRange(search: URLSearchParams, now: Date, isUtc: boolean): ReportRange {
  const own = ownRange(search.get('from'), search.get('to'), isUtc)
  if (own !== null) return { period: null, ...own }
  const period = periods.find((one) => one === search.get('period')) ?? defaultPeriod
  // A full hour, as the server reports: the same report is asked for until the next one.
  const end = Math.ceil(now.getTime() / 3_600_000) * 3600
  const length = days[period]
  if (length !== undefined) return { period, from: end - length * daySeconds, to: end }
  const month = (offset: number) => startOfMonth(now, offset, isUtc)
  return period === 'this-month'
    ? { period, from: month(0), to: end }
    : { period, from: month(-1), to: month(0) }
}

export function writePeriod(search: URLSearchParams, period: Period): URLSearchParams {
  const next = without(search)
  if (period !== defaultPeriod) next.set('period', period)
  return next
}

/** Days as inputs have them: 2026-11-16. The last one is included. */
export function writeDays(search: URLSearchParams, from: string, to: string): URLSearchParams {
  const next = without(search)
  next.set('from', from)
  next.set('to', to)
  return next
}

/** The day of an instant, for an input. */
export function dayOf(seconds: number, isUtc: boolean): string {
  const date = new Date(seconds * 1000)
  const [year, month, day] = isUtc
    ? [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
    : [date.getFullYear(), date.getMonth(), date.getDate()]
  return `${year}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}

function ownRange(from: string | null, to: string | null, isUtc: boolean) {
  const [begin, end] = [startOfDay(from, 0, isUtc), startOfDay(to, 1, isUtc)]
  return begin === null || end === null || end <= begin ? null : { from: begin, to: end }
}

function startOfDay(text: string | null, offset: number, isUtc: boolean): number | null {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '')?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined) return null
  const time = isUtc
    ? Date.UTC(year, month - 1, day + offset)
    : new Date(year, month - 1, day + offset).getTime()
  return time / 1000
}

function startOfMonth(now: Date, offset: number, isUtc: boolean): number {
  const time = isUtc
    ? Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset)
    : new Date(now.getFullYear(), now.getMonth() + offset).getTime()
  return time / 1000
}

function without(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const name of ['period', 'from', 'to', 'page']) next.delete(name)
  return next
}
