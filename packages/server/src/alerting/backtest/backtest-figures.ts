// How good alert settings would have been, in numbers: of one check, or added up over many.

export interface BacktestFigures {
  results: number
  runs: number
  failingMs: number
  degradedMs: number
  /** Runs in a row that did not pass, whatever the settings make of them: so that settings can be compared. */
  episodes: number
  missedEpisodes: number
  falseAlarms: number
  alerts: { failure: number; degraded: number; recovery: number; reminder: number; held: number }
  difference: { same: number; moved: number; added: number; removed: number }
  /** Milliseconds from the first run of an episode to its first alert. */
  delays: number[]
}

export function noFigures(): BacktestFigures {
  return {
    results: 0,
    runs: 0,
    failingMs: 0,
    degradedMs: 0,
    episodes: 0,
    missedEpisodes: 0,
    falseAlarms: 0,
    alerts: { failure: 0, degraded: 0, recovery: 0, reminder: 0, held: 0 },
    difference: { same: 0, moved: 0, added: 0, removed: 0 },
    delays: [],
  }
}

export function sumFigures(parts: readonly BacktestFigures[]): BacktestFigures {
  const total = noFigures()
  for (const part of parts) {
    for (const name of counts) total[name] += part[name]
    addCounts(total.alerts, part.alerts)
    addCounts(total.difference, part.difference)
    for (const delay of part.delays) total.delays.push(delay)
  }
  return total
}

const counts = [
  'results',
  'runs',
  'failingMs',
  'degradedMs',
  'episodes',
  'missedEpisodes',
  'falseAlarms',
] as const

function addCounts<T extends Record<keyof T, number>>(total: T, part: T): void {
  for (const name of Object.keys(part) as (keyof T)[]) {
    total[name] = (total[name] + part[name]) as T[keyof T]
  }
}

export function spreadOf(delays: readonly number[]): { min: number; median: number; max: number } | null {
  if (delays.length === 0) return null
  const sorted = delays.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] as number
  const middle = sorted.length / 2
  const median = sorted.length % 2 === 1 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2
  return { min: at(0), median, max: at(sorted.length - 1) }
}
