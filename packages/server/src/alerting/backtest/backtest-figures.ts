// The quality of alert settings in numbers, for one check or added up over many.
import { medianOf } from '../../core/median.ts'

export interface BacktestFigures {
  results: number
  runs: number
  failingMs: number
  degradedMs: number
  /** Consecutive runs that didn't pass. Independent of the settings, so that settings can be compared. */
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
    for (const name of alertCounts) total.alerts[name] += part.alerts[name]
    for (const name of differenceCounts) total.difference[name] += part.difference[name]
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

const alertCounts = ['failure', 'degraded', 'recovery', 'reminder', 'held'] as const
const differenceCounts = ['same', 'moved', 'added', 'removed'] as const

export function spreadOf(delays: readonly number[]): { min: number; median: number; max: number } | null {
  const median = medianOf(delays)
  if (median === null) return null
  const min = delays.reduce((least, delay) => Math.min(least, delay))
  const max = delays.reduce((most, delay) => Math.max(most, delay))
  return { min, median, max }
}
