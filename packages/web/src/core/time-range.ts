// The time range of a screen: a span that ends now, or two instants. It is kept in the address.

export const spans = { '1h': 3_600, '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const

export type Span = keyof typeof spans

export const spanLabels: Record<Span, string> = {
  '1h': 'Last hour',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
}

/** Seconds. `span` is null if both ends are chosen. */
export interface TimeRange {
  span: Span | null
  from: number
  to: number
}

export function isSpan(text: string): text is Span {
  return Object.hasOwn(spans, text)
}

export function readRange(search: URLSearchParams, nowMs: number): TimeRange {
  const from = Number(search.get('from') ?? Number.NaN)
  const to = Number(search.get('to') ?? Number.NaN)
  if (Number.isFinite(from) && Number.isFinite(to) && from >= 0 && to - from >= 1)
    return { span: null, from, to }
  const text = search.get('range') ?? '24h'
  const span = isSpan(text) ? text : '24h'
  // A whole minute: the same range is asked for again instead of a new one every second.
  const end = Math.ceil(nowMs / 60_000) * 60
  return { span, from: end - spans[span], to: end }
}

/** Changes only the parameters of the range. */
export function writeRange(
  search: URLSearchParams,
  range: Span | { from: number; to: number },
): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const name of ['range', 'from', 'to']) next.delete(name)
  if (typeof range !== 'string') {
    next.set('from', String(Math.floor(range.from)))
    next.set('to', String(Math.ceil(range.to)))
  } else if (range !== '24h') next.set('range', range)
  return next
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440]

/** Minutes per point: at most 96 points, which fit on one page of a report, and no finer than the check runs. */
export function bucketMinutes({ from, to }: TimeRange, frequencyMinutes: number): number {
  const least = Math.max((to - from) / 60 / 96, Math.min(frequencyMinutes, 60))
  return steps.find((step) => step >= least) ?? 1440
}

/** As a field of type datetime-local has it: 2026-11-16T14:02. */
export function toInputTime(seconds: number, isUtc: boolean): string {
  const offset = isUtc ? 0 : new Date(seconds * 1000).getTimezoneOffset() * 60
  return new Date((seconds - offset) * 1000).toISOString().slice(0, 16)
}

/** Seconds; null: it isn't complete. */
export function fromInputTime(text: string, isUtc: boolean): number | null {
  const at = Date.parse(isUtc ? `${text}Z` : text)
  return Number.isFinite(at) ? at / 1000 : null
}
