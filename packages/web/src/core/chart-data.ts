// What a chart draws besides its lines: gaps, outliers, single points, the bucket that isn't over yet. Times are in seconds.

export interface Interval {
  from: number
  to: number
}

/** A value that charts compare with. */
export interface ChartLimit {
  value: number
  /** Name of a custom property. */
  color: string
  /** Beside the line. */
  label: string
  /** Below the chart. */
  meaning: string
}

/** Where the axis ends. A limit far above all values would flatten them. */
export function axisEnd(most: number, limits: readonly ChartLimit[]): number {
  const near = limits.map(({ value }) => value).filter((value) => value <= 3 * most)
  return Math.max(most, ...near) * 1.1 || 1
}

/** The start of every bucket of the range, also of those without runs. */
export function gridOf(times: readonly number[], stepSeconds: number, { from, to }: Interval): number[] {
  const [first] = times
  if (first === undefined) return []
  const begin = first - Math.max(0, Math.floor((first - from) / stepSeconds)) * stepSeconds
  const count = Math.max(1, Math.ceil((to - begin) / stepSeconds))
  return Array.from({ length: count }, (_, index) => begin + index * stepSeconds)
}

interface GapOptions {
  stepSeconds: number
  /** How often the check runs: less than two runs missing isn't a gap. */
  periodSeconds: number
  /** Before the check existed, and after now, nothing is missing. */
  within: Interval
}

/** The times without any run. */
export function gapsOf(
  grid: readonly number[],
  times: readonly number[],
  { stepSeconds, periodSeconds, within }: GapOptions,
): Interval[] {
  const present = new Set(times)
  const gaps: Interval[] = []
  for (const at of grid) {
    if (present.has(at)) continue
    const last = gaps.at(-1)
    if (last?.to === at) last.to = at + stepSeconds
    else gaps.push({ from: at, to: at + stepSeconds })
  }
  return gaps
    .map(({ from, to }) => ({ from: Math.max(from, within.from), to: Math.min(to, within.to) }))
    .filter(({ from, to }) => to - from >= Math.max(stepSeconds, 2 * periodSeconds))
}

/** The 99th percentile if some values are far above it: the axis ends there. Null: it ends at the largest value. */
export function capOf(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b)
  const most = sorted.at(-1)
  if (most === undefined || sorted.length < 10) return null
  const place = 0.99 * (sorted.length - 1)
  const [low = 0, high = 0] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  const cap = low + (high - low) * (place - Math.floor(place))
  return most > 1.5 * cap ? cap : null
}

/** Values without a neighbor: no line reaches them. */
export function isolatedIndexes(values: readonly (number | null | undefined)[]): number[] {
  return values.flatMap((value, index) =>
    value != null && values[index - 1] == null && values[index + 1] == null ? [index] : [],
  )
}

/** When the last bucket begins, if it isn't over. */
export function partialFrom(grid: readonly number[], stepSeconds: number, now: number): number | null {
  const last = grid.findLast((at) => at <= now)
  return last !== undefined && last + stepSeconds > now ? last : null
}
