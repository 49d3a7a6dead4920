import { describe, expect, it } from 'vitest'
import { after, doneMs, failingFor5, minute, minutes, report } from './backtest.fixture.ts'
import { spreadOf } from './backtest-figures.ts'

describe('the figures of a backtest', () => {
  it('counts alerts after which the very next run passed as false alarms', () => {
    expect(report(minutes('pfpffpdp')).figures.falseAlarms).toBe(2)
    expect(report(minutes('pfpffpdp'), { settings: after(2) }).figures.falseAlarms).toBe(1)
    // Only the first alert of an episode counts; what follows the last run isn't known yet.
    expect(report(minutes('pdfp')).figures.falseAlarms).toBe(0)
    expect(report(minutes('pf')).figures.falseAlarms).toBe(0)
  })

  it('measures from the slot of the first failing run', () => {
    expect(report(minutes('pfffpfp')).figures.delays).toEqual([doneMs, doneMs])
    expect(report(minutes('pfffpfp'), { settings: after(3) }).figures.delays).toEqual([2 * minute + doneMs])
    expect(report(minutes('pfff     p'), { settings: failingFor5 }).figures.delays).toEqual([5 * minute])
  })

  it('counts episodes that end without a notification', () => {
    const { figures } = report(minutes('pfpffpfffpf'), { settings: after(3) })
    expect(figures).toMatchObject({ episodes: 4, missedEpisodes: 2 })
  })

  it('adds up the time from each failing run to the next run', () => {
    const { figures } = report([...minutes('ff', -2), ...minutes('fp ddfp      f')])
    expect(figures.failingMs).toBe((1 + 1 + 47) * minute)
    expect(figures.degradedMs).toBe(2 * minute)
  })

  it('reduces delays to minimum, median and maximum', () => {
    expect(spreadOf([])).toBeNull()
    expect(spreadOf([5])).toEqual({ min: 5, median: 5, max: 5 })
    expect(spreadOf([9, 1, 5, 2])).toEqual({ min: 1, median: 3.5, max: 9 })
  })
})
