import { AlertSettings } from '@vedette/contracts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AlertState } from '../decision/alert-state.ts'
import { decide, decideDue } from '../decision/decide.ts'
import { type BacktestOptions, type SentAlert, startBacktest } from './backtest.ts'
import { spreadOf } from './backtest-figures.ts'
import type { BacktestResult } from './backtest-runs.ts'

const minute = 60_000
const start = Date.UTC(2026, 10, 15)
const doneMs = 1_000

type Given = Partial<Omit<BacktestOptions, 'settings'>> & { settings?: object }

function report(results: BacktestResult[], { settings = {}, ...given }: Given = {}) {
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

/** One run a minute, each a second long: p passes, d is degraded, f fails, e is our own error, a space is no run. */
function minutes(states: string, first = 0): BacktestResult[] {
  return [...states].flatMap((state, index) =>
    state === ' ' ? [] : [result(state, start + (first + index) * minute)],
  )
}

function result(state: string, scheduledAt: number, part: Partial<BacktestResult> = {}): BacktestResult {
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

/** In minutes of the period and seconds: 'ALERT_FAILURE 3:01'. */
function spoken({ events }: ReturnType<typeof report>): string[] {
  return events.map(({ type, heldBy, at }) => `${heldBy === null ? type : heldBy} ${clock(at)}`)
}

function clock(at: number): string {
  const seconds = (at - start) / 1000
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const after = (runs: number) => ({ runBasedEscalation: { failedRunThreshold: runs } })
const failingFor5 = { escalationType: 'TIME_BASED', timeBasedEscalation: { minutesFailingThreshold: 5 } }

describe('what would have been told', () => {
  it.each<[string, string, object, string[]]>([
    ['nothing of runs that pass', 'ppppp', {}, []],
    [
      'each failure at a threshold of 1',
      'pfpfp',
      after(1),
      ['ALERT_FAILURE 1:01', 'ALERT_RECOVERY 2:01', 'ALERT_FAILURE 3:01', 'ALERT_RECOVERY 4:01'],
    ],
    [
      'only the third in a row at a threshold of 3',
      'pfpfffp',
      after(3),
      ['threshold 1:01', 'untold 2:01', 'threshold 3:01', 'ALERT_FAILURE_REMAIN 5:01', 'ALERT_RECOVERY 6:01'],
    ],
    ['a degradation and its end', 'pddp', {}, ['ALERT_DEGRADED 1:01', 'ALERT_DEGRADED_RECOVERY 3:01']],
    [
      'what gets worse',
      'pdfp',
      {},
      ['ALERT_DEGRADED 1:01', 'ALERT_DEGRADED_FAILURE 2:01', 'ALERT_RECOVERY 3:01'],
    ],
    [
      'a failure of five minutes, between two runs',
      'pfff       p',
      failingFor5,
      ['threshold 1:01', 'ALERT_FAILURE_REMAIN 6:00', 'ALERT_RECOVERY 11:01'],
    ],
    ['nothing of a failure of four minutes', 'pffffp', failingFor5, ['threshold 1:01', 'untold 5:01']],
    [
      'nothing of our own errors',
      'pfeeefp',
      after(2),
      ['threshold 1:01', 'ALERT_FAILURE_REMAIN 5:01', 'ALERT_RECOVERY 6:01'],
    ],
    ['an escalation after the last run', 'pf', failingFor5, ['threshold 1:01', 'ALERT_FAILURE_REMAIN 6:00']],
  ])('%s', (_, states, settings, expected) => {
    expect(spoken(report(minutes(states), { settings }))).toEqual(expected)
  })

  it('reminds between runs and after the last one, until the period ends', () => {
    const reminders = { reminders: { amount: 100_000, interval: 10 } }
    const told = report(minutes('pf'), { settings: reminders })
    expect(told.reminders.map(clock)).toEqual(['11:01', '21:01', '31:01', '41:01', '51:01'])
    expect(told.figures.alerts).toEqual({ failure: 1, degraded: 0, recovery: 0, reminder: 5, held: 0 })
  })

  it('reminds as often as the settings say, and no more after the recovery', () => {
    const twice = { reminders: { amount: 2, interval: 5 } }
    expect(report(minutes('f'), { settings: twice }).reminders.map(clock)).toEqual(['5:01', '10:01'])
    expect(report(minutes('f      p'), { settings: twice }).reminders.map(clock)).toEqual(['5:01'])
  })

  it('tells nobody in a silence', () => {
    const silences = [{ start: start + 2 * minute, end: start + 6 * minute }]
    expect(spoken(report(minutes('pfp  fp fp'), { silences }))).toEqual([
      'ALERT_FAILURE 1:01',
      'maintenance 2:01',
      'maintenance 5:01',
      'untold 6:01',
      'ALERT_FAILURE 8:01',
      'ALERT_RECOVERY 9:01',
    ])
  })

  it('does not tell anew of what was going on before the period', () => {
    const told = report([...minutes('pff', -3), ...minutes('ffp')], { settings: after(2) })
    expect(spoken(told)).toEqual(['ALERT_RECOVERY 2:01'])
    expect(told.figures).toMatchObject({ runs: 3, results: 3, episodes: 1, missedEpisodes: 0, delays: [] })
    expect(told.resultsFrom).toBe(start)
  })

  it('drops runs that were overtaken', () => {
    const slow = result('f', start, { stoppedAt: start + 3 * minute })
    expect(spoken(report([slow, ...minutes(' ppp')]))).toEqual([])
    expect(report([slow, ...minutes(' ppp')]).figures.runs).toBe(3)
  })

  it('decides nothing from the end of the period on', () => {
    const told = report(minutes('pf'), { to: start + minute + doneMs })
    expect([spoken(told), told.figures.runs]).toEqual([[], 1])
  })

  it('lists as many as are wanted, told ones first, and counts all', () => {
    const told = report(minutes('pfpfffpfpfffp'), { settings: after(3), listed: 5 })
    expect(told.isTruncated).toBe(true)
    expect(spoken(told).filter((text) => text.startsWith('ALERT'))).toHaveLength(4)
    expect(told.events).toHaveLength(5)
    expect(told.figures.alerts).toMatchObject({ failure: 2, recovery: 2, held: 6 })
    expect(report(minutes('pfp')).isTruncated).toBe(false)
  })
})

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
    ['counts only locations that say something', 'feep', share(50), ['ALERT_FAILURE 0:04']],
    ['says nothing with errors alone', 'eeee', {}, []],
    ['degrades with a failing one that is not enough', 'fdpp', share(50), ['ALERT_DEGRADED 0:04']],
  ])('%s', (_, states, settings, expected) => {
    expect(spoken(report(slot(states, 0), { settings }))).toEqual(expected)
  })

  it('is named by the location that says most', () => {
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

describe('how good that would have been', () => {
  it('counts alerts after which the very next run passed as false alarms', () => {
    expect(report(minutes('pfpffpdp')).figures.falseAlarms).toBe(2)
    expect(report(minutes('pfpffpdp'), { settings: after(2) }).figures.falseAlarms).toBe(1)
    // Of an episode only its first alert; and nobody knows yet what follows the last run.
    expect(report(minutes('pdfp')).figures.falseAlarms).toBe(0)
    expect(report(minutes('pf')).figures.falseAlarms).toBe(0)
  })

  it('measures from the slot of the first failing run', () => {
    expect(report(minutes('pfffpfp')).figures.delays).toEqual([doneMs, doneMs])
    expect(report(minutes('pfffpfp'), { settings: after(3) }).figures.delays).toEqual([2 * minute + doneMs])
    expect(report(minutes('pfff     p'), { settings: failingFor5 }).figures.delays).toEqual([5 * minute])
  })

  it('counts episodes of which nothing would be told, once they are over', () => {
    const { figures } = report(minutes('pfpffpfffpf'), { settings: after(3) })
    expect(figures).toMatchObject({ episodes: 4, missedEpisodes: 2 })
  })

  it('adds up the time from each failing run to the next run', () => {
    const { figures } = report([...minutes('ff', -2), ...minutes('fp ddfp      f')])
    expect(figures.failingMs).toBe((1 + 1 + 47) * minute)
    expect(figures.degradedMs).toBe(2 * minute)
  })

  it('says the least, the middle and the most of delays', () => {
    expect(spreadOf([])).toBeNull()
    expect(spreadOf([5])).toEqual({ min: 5, median: 5, max: 5 })
    expect(spreadOf([9, 1, 5, 2])).toEqual({ min: 1, median: 3.5, max: 9 })
  })
})

describe('the difference to what was told', () => {
  const sent = (kind: SentAlert['kind'], at: number, episode: number, lateMs = 2_000): SentAlert => ({
    type: kind === 'recovery' ? 'ALERT_RECOVERY' : 'ALERT_FAILURE',
    kind,
    at: start + at * minute + lateMs,
    scheduledAt: start + at * minute,
    episodeAt: start + episode * minute,
  })
  const really = [
    sent('failure', 1, 1),
    sent('recovery', 2, 1),
    sent('failure', 3, 3),
    sent('recovery', 6, 3),
  ]

  it('is none for the settings of that time', () => {
    const { figures, events } = report(minutes('pfpfffp'), { sent: really })
    expect(figures.difference).toEqual({ same: 4, moved: 0, added: 0, removed: 0 })
    expect(events.map(({ sentAt }) => sentAt)).toEqual(really.map(({ at }) => at))
  })

  it('tells what is gone and what comes at another time', () => {
    const { figures, removed } = report(minutes('pfpfffp'), { sent: really, settings: after(3) })
    expect(figures.difference).toEqual({ same: 1, moved: 1, added: 0, removed: 2 })
    expect(removed).toEqual(really.slice(0, 2))
  })

  it('tells what is new', () => {
    const { figures } = report(minutes('pfpfffp'), { sent: really.slice(2) })
    expect(figures.difference).toEqual({ same: 2, moved: 0, added: 2, removed: 0 })
  })

  it('looks across the edges of the period', () => {
    const crossing = [sent('failure', -1, -1, minute + 5_000), sent('recovery', 59, -1, minute + 5_000)]
    const results = [...minutes('pf', -2), result('f', start), ...minutes('p', 59)]
    const { figures } = report(results, { sent: crossing })
    expect(figures.difference).toEqual({ same: 1, moved: 0, added: 0, removed: 0 })
  })

  it('says nothing of alerts whose results are gone', () => {
    expect(report(minutes(`${' '.repeat(10)}p`), { sent: really }).figures.difference.removed).toBe(0)
    expect(report([], { sent: really }).figures.difference.removed).toBe(0)
  })
})

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
  it('tells what deciding one by one and looking at the clock each second tells', () => {
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

  it('comes to the same in one piece and in many', () => {
    fc.assert(
      fc.property(someResults, aSettings, fc.integer({ min: 1, max: 7 }), (some, settings, size) => {
        // A piece may end within a run.
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
    // At the same instant the run comes first: what it brings is what people are to hear.
    const taken: ReturnType<typeof decide> | null = isRun
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
    if (taken === null) continue
    state = taken.state
    if (taken.alert !== null) alerts.push([taken.alert.type, now])
    if (taken.reminder !== null) reminders.push(now)
    if (isRun && state !== null) {
      const late = decideDue(state, options)
      state = late.state
      if (late.alert !== null) alerts.push([late.alert.type, now])
      if (late.reminder !== null) reminders.push(now)
    }
  }
  return { alerts, reminders }
}
