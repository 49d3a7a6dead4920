import { describe, expect, it } from 'vitest'
import { after, minute, minutes, report, result, start } from './backtest.fixture.ts'
import type { SentAlert } from './backtest.ts'

describe('the difference to the alerts that were sent', () => {
  const sent = (kind: SentAlert['kind'], at: number, episode: number, lateMs = 2_000): SentAlert => ({
    type: kind === 'recovery' ? 'ALERT_RECOVERY' : 'ALERT_FAILURE',
    kind,
    at: start + at * minute + lateMs,
    scheduledAt: start + at * minute,
    episodeAt: start + episode * minute,
  })
  const actual = [
    sent('failure', 1, 1),
    sent('recovery', 2, 1),
    sent('failure', 3, 3),
    sent('recovery', 6, 3),
  ]

  it('is none for the settings of that time', () => {
    const { figures, events } = report(minutes('pfpfffp'), { sent: actual })
    expect(figures.difference).toEqual({ same: 4, moved: 0, added: 0, removed: 0 })
    expect(events.map(({ sentAt }) => sentAt)).toEqual(actual.map(({ at }) => at))
  })

  it('finds removed and moved alerts', () => {
    const { figures, removed } = report(minutes('pfpfffp'), { sent: actual, settings: after(3) })
    expect(figures.difference).toEqual({ same: 1, moved: 1, added: 0, removed: 2 })
    expect(removed).toEqual(actual.slice(0, 2))
  })

  it('finds added alerts', () => {
    const { figures } = report(minutes('pfpfffp'), { sent: actual.slice(2) })
    expect(figures.difference).toEqual({ same: 2, moved: 0, added: 2, removed: 0 })
  })

  it('matches alerts across the edges of the period', () => {
    const crossing = [sent('failure', -1, -1, minute + 5_000), sent('recovery', 59, -1, minute + 5_000)]
    const results = [...minutes('pf', -2), result('f', start), ...minutes('p', 59)]
    const { figures } = report(results, { sent: crossing })
    expect(figures.difference).toEqual({ same: 1, moved: 0, added: 0, removed: 0 })
  })

  it('leaves out alerts whose results are deleted', () => {
    expect(report(minutes(`${' '.repeat(10)}p`), { sent: actual }).figures.difference.removed).toBe(0)
    expect(report([], { sent: actual }).figures.difference.removed).toBe(0)
  })
})
