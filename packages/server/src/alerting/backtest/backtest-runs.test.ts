import { describe, expect, it } from 'vitest'
import { minute, report, result, start, summarize } from './backtest.fixture.ts'
import type { BacktestResult } from './backtest-runs.ts'

describe('a run in several locations', () => {
  const share = (percentage: number) => ({ parallelRunFailureThreshold: { enabled: true, percentage } })
  const locations = ['eu-west-1', 'us-east-1', 'ap-south-1', 'sa-east-1']
  const slot = (states: string, at: number, part: Partial<BacktestResult> = {}) =>
    [...states].map((state, index) =>
      result(state, start + at * minute, {
        location: locations[index] as string,
        stoppedAt: start + at * minute + (index + 1) * 1000,
        ...part,
      }),
    )

  it.each<[string, string, object, string[]]>([
    ['fails with one location', 'ppfp', {}, ['ALERT_FAILURE 0:03']],
    ['is held back below the share', 'ppfp', share(50), ['parallel_threshold 0:04']],
    ['is certain before the last location is done', 'ffpp', share(50), ['ALERT_FAILURE 0:02']],
    ['waits while a share is not certain', 'fppf', share(50), ['ALERT_FAILURE 0:04']],
    ['counts only locations with a verdict', 'feep', share(50), ['ALERT_FAILURE 0:04']],
    ['decides nothing from errors alone', 'eeee', {}, []],
    ['degrades with a failing one that is not enough', 'fdpp', share(50), ['ALERT_DEGRADED 0:04']],
  ])('%s', (_, states, settings, expected) => {
    expect(summarize(report(slot(states, 0), { settings }))).toEqual(expected)
  })

  it('names the location with the worst result', () => {
    const [event] = report(slot('pdfp', 0)).events
    expect(event?.location).toBe('ap-south-1')
  })

  it('is one run per session, also if two have the same instant', () => {
    const results = [...slot('pp', 0), ...slot('ff', 0, { sessionId: 'one' })]
    expect(report(results).figures.runs).toBe(1)
    expect(report([...slot('pp', 0), ...slot('ff', 1, { sessionId: 'one' })]).figures).toMatchObject({
      runs: 2,
      results: 4,
    })
  })
})
