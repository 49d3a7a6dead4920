import { AlertSettings } from '@vedette/contracts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AlertState } from '../decision/alert-state.ts'
import { decide, decideDue } from '../decision/decide.ts'
import { minute, report, result, start } from './backtest.fixture.ts'
import { startBacktest } from './backtest.ts'
import type { BacktestResult } from './backtest-runs.ts'

const aSettings = fc
  .record({
    escalationType: fc.constantFrom('RUN_BASED', 'TIME_BASED'),
    runBasedEscalation: fc.record({ failedRunThreshold: fc.constantFrom(1, 2, 3, 5) }),
    timeBasedEscalation: fc.record({ minutesFailingThreshold: fc.constantFrom(5, 10) }),
    reminders: fc.record({ amount: fc.constantFrom(0, 1, 100_000), interval: fc.constantFrom(1, 2, 5, 15) }),
  })
  .map((settings) => AlertSettings.parse(settings))

const someResults = fc
  .array(
    fc.record({
      state: fc.constantFrom('p', 'p', 'f', 'd', 'e'),
      gapSeconds: fc.integer({ min: 5, max: 400 }),
    }),
    {
      maxLength: 60,
    },
  )
  .map((steps) => {
    let at = start
    return steps.map(({ state, gapSeconds }) => {
      at += gapSeconds * 1000
      return result(state, at)
    })
  })

describe('for any results and settings', () => {
  it('decides the same as deciding run by run and checking the clock every second', () => {
    fc.assert(
      fc.property(someResults, aSettings, (results, settings) => {
        const to = start + 8 * 60 * minute
        const expected = secondBySecond(results, settings, to)
        const { events, reminders } = report(results, { settings, to })
        expect(events.map(({ type, at }) => [type, at])).toEqual(expected.alerts)
        expect(reminders).toEqual(expected.reminders)
      }),
      { numRuns: 60 },
    )
  })

  it('reports the same for results in one batch and in many', () => {
    fc.assert(
      fc.property(someResults, aSettings, fc.integer({ min: 1, max: 7 }), (some, settings, size) => {
        // A batch may end within a run.
        const results = some.flatMap((each) => [each, { ...each, location: 'us-east-1', hasErrors: false }])
        const options = {
          from: start,
          to: start + 8 * 60 * minute,
          silences: [],
          sent: [],
          listed: 500,
          settings,
        }
        const backtest = startBacktest(options)
        for (let index = 0; index < results.length; index += size)
          backtest.add(results.slice(index, index + size))
        expect(backtest.end()).toEqual(report(results, { ...options, settings }))
      }),
    )
  })
})

function secondBySecond(results: readonly BacktestResult[], settings: AlertSettings, to: number) {
  const alerts: [string, number][] = []
  const reminders: number[] = []
  const byEnd = new Map(results.map((each) => [each.stoppedAt, each]))
  let state: AlertState | null = null
  for (let now = start; now < to; now += 1000) {
    const options = { settings, silence: null, now }
    const due: ReturnType<typeof decideDue> | null = state === null ? null : decideDue(state, options)
    const arrived = byEnd.get(now)
    const isRun = arrived !== undefined && !arrived.hasErrors
    // At the same instant the run is decided first: it is the newer information.
    const decision: ReturnType<typeof decide> | null = isRun
      ? decide(
          state,
          {
            runs: [
              {
                at: arrived.scheduledAt,
                locations: 1,
                failed: Number(arrived.hasFailures),
                degraded: Number(arrived.isDegraded),
              },
            ],
            isLate: false,
          },
          options,
        )
      : due
    if (decision === null) continue
    state = decision.state
    if (decision.alert !== null) alerts.push([decision.alert.type, now])
    if (decision.reminder !== null) reminders.push(now)
    if (isRun && state !== null) {
      const late = decideDue(state, options)
      state = late.state
      if (late.alert !== null) alerts.push([late.alert.type, now])
      if (late.reminder !== null) reminders.push(now)
    }
  }
  return { alerts, reminders }
}
