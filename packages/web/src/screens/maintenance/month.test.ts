import { describe, expect, it } from 'vitest'
import { monthName, readMonth, shiftMonth, touchesDay, weeksOf } from './month.ts'

describe('a month', () => {
  it('has whole weeks from Monday on', () => {
    const weeks = weeksOf('2026-11')
    expect(weeks).toHaveLength(6)
    expect(weeks[0]?.map(({ date }) => date.slice(8))).toEqual(['26', '27', '28', '29', '30', '31', '01'])
    expect(weeks.flat().filter(({ isInMonth }) => isInMonth)).toHaveLength(30)
    expect(weeksOf('2027-02')).toHaveLength(4)
  })

  it('is that of the address, or that of now in the zone', () => {
    const now = Date.parse('2026-11-30T23:30:00Z')
    expect(readMonth('2027-01', now, 'UTC')).toBe('2027-01')
    expect(readMonth('2027-13', now, 'UTC')).toBe('2026-11')
    expect(readMonth(null, now, 'Europe/Berlin')).toBe('2026-12')
    expect(shiftMonth('2026-12', 1)).toBe('2027-01')
    expect(monthName('2026-11')).toBe('November 2026')
  })

  it('shows a period on each day that it touches', () => {
    const night = { startsAt: '2026-11-20T22:30:00.000Z', endsAt: '2026-11-21T00:00:00.000Z' }
    const days = (zone: string) =>
      ['2026-11-20', '2026-11-21'].filter((date) => touchesDay(night, date, zone))
    expect(days('UTC')).toEqual(['2026-11-20'])
    expect(days('Europe/Berlin')).toEqual(['2026-11-20', '2026-11-21'])
  })
})
