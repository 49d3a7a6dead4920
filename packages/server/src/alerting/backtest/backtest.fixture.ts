// Writes runs as a string, and the events of a backtest as short lines.
import { AlertSettings } from '@vedette/contracts'
import { type BacktestOptions, startBacktest } from './backtest.ts'
import type { BacktestResult } from './backtest-runs.ts'

export const minute = 60_000
export const start = Date.UTC(2026, 10, 15)
export const doneMs = 1_000

type Given = Partial<Omit<BacktestOptions, 'settings'>> & { settings?: object }

export function report(results: BacktestResult[], { settings = {}, ...given }: Given = {}) {
  const options: BacktestOptions = {
    from: start,
    to: start + 60 * minute,
    silences: [],
    sent: [],
    listed: 500,
    ...given,
    settings: AlertSettings.parse(settings),
  }
  const backtest = startBacktest(options)
  backtest.add(results)
  return backtest.end()
}

/** One run a minute, each a second long: p passes, d is degraded, f fails, e is our own error, a space skips a run. */
export function minutes(states: string, first = 0): BacktestResult[] {
  return [...states].flatMap((state, index) =>
    state === ' ' ? [] : [result(state, start + (first + index) * minute)],
  )
}

export function result(
  state: string,
  scheduledAt: number,
  part: Partial<BacktestResult> = {},
): BacktestResult {
  return {
    scheduledAt,
    stoppedAt: scheduledAt + doneMs,
    sessionId: null,
    location: 'eu-west-1',
    hasFailures: state === 'f',
    isDegraded: state === 'd',
    hasErrors: state === 'e',
    ...part,
  }
}

/** With minutes and seconds since the start of the period: 'ALERT_FAILURE 3:01'. */
export function summarize({ events }: ReturnType<typeof report>): string[] {
  return events.map(({ type, heldBy, at }) => `${heldBy === null ? type : heldBy} ${clock(at)}`)
}

export function clock(at: number): string {
  const seconds = (at - start) / 1000
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export const after = (runs: number) => ({ runBasedEscalation: { failedRunThreshold: runs } })
export const failingFor5 = {
  escalationType: 'TIME_BASED',
  timeBasedEscalation: { minutesFailingThreshold: 5 },
}
