import { describe, expect, it } from 'vitest'
import {
  after,
  clock,
  doneMs,
  failingFor5,
  minute,
  minutes,
  report,
  result,
  start,
  summarize,
} from './backtest.fixture.ts'

describe('the alerts of a backtest', () => {
  it.each<[string, string, object, string[]]>([
    ['none for passing runs', 'ppppp', {}, []],
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
      'an escalation',
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
    ['none for a failure of four minutes', 'pffffp', failingFor5, ['threshold 1:01', 'untold 5:01']],
    [
      'none for our own errors',
      'pfeeefp',
      after(2),
      ['threshold 1:01', 'ALERT_FAILURE_REMAIN 5:01', 'ALERT_RECOVERY 6:01'],
    ],
    ['an escalation after the last run', 'pf', failingFor5, ['threshold 1:01', 'ALERT_FAILURE_REMAIN 6:00']],
  ])('%s', (_, states, settings, expected) => {
    expect(summarize(report(minutes(states), { settings }))).toEqual(expected)
  })

  it('reminds between runs and after the last one, until the period ends', () => {
    const reminders = { reminders: { amount: 100_000, interval: 10 } }
    const backtest = report(minutes('pf'), { settings: reminders })
    expect(backtest.reminders.map(clock)).toEqual(['11:01', '21:01', '31:01', '41:01', '51:01'])
    expect(backtest.figures.alerts).toEqual({ failure: 1, degraded: 0, recovery: 0, reminder: 5, held: 0 })
  })

  it('reminds as often as the settings say, and no more after the recovery', () => {
    const twice = { reminders: { amount: 2, interval: 5 } }
    expect(report(minutes('f'), { settings: twice }).reminders.map(clock)).toEqual(['5:01', '10:01'])
    expect(report(minutes('f      p'), { settings: twice }).reminders.map(clock)).toEqual(['5:01'])
  })

  it('holds alerts during maintenance', () => {
    const silences = [{ start: start + 2 * minute, end: start + 6 * minute }]
    expect(summarize(report(minutes('pfp  fp fp'), { silences }))).toEqual([
      'ALERT_FAILURE 1:01',
      'maintenance 2:01',
      'maintenance 5:01',
      'untold 6:01',
      'ALERT_FAILURE 8:01',
      'ALERT_RECOVERY 9:01',
    ])
  })

  it("doesn't repeat alerts of episodes that began before the period", () => {
    const backtest = report([...minutes('pff', -3), ...minutes('ffp')], { settings: after(2) })
    expect(summarize(backtest)).toEqual(['ALERT_RECOVERY 2:01'])
    expect(backtest.figures).toMatchObject({
      runs: 3,
      results: 3,
      episodes: 1,
      missedEpisodes: 0,
      delays: [],
    })
    expect(backtest.resultsFrom).toBe(start)
  })

  it('drops runs that completed after a newer run', () => {
    const slow = result('f', start, { stoppedAt: start + 3 * minute })
    expect(summarize(report([slow, ...minutes(' ppp')]))).toEqual([])
    expect(report([slow, ...minutes(' ppp')]).figures.runs).toBe(3)
  })

  it('decides nothing from the end of the period on', () => {
    const backtest = report(minutes('pf'), { to: start + minute + doneMs })
    expect([summarize(backtest), backtest.figures.runs]).toEqual([[], 1])
  })

  it('lists up to the limit, sent alerts first, and counts all', () => {
    const backtest = report(minutes('pfpfffpfpfffp'), { settings: after(3), listed: 5 })
    expect(backtest.isTruncated).toBe(true)
    expect(summarize(backtest).filter((text) => text.startsWith('ALERT'))).toHaveLength(4)
    expect(backtest.events).toHaveLength(5)
    expect(backtest.figures.alerts).toMatchObject({ failure: 2, recovery: 2, held: 6 })
    expect(report(minutes('pfp')).isTruncated).toBe(false)
  })
})
