import { describe, expect, it } from 'vitest'
import { isActive, occurrences, type RepeatingPeriod } from './maintenance-occurrences.ts'

const once: RepeatingPeriod = {
  startsAt: '2026-01-31T22:00:00Z',
  endsAt: '2026-02-01T02:00:00Z',
  repeatInterval: null,
  repeatUnit: null,
  repeatEndsAt: null,
}
const at = (text: string): number => Date.parse(text)
const startsIn = (period: RepeatingPeriod, from: string, to: string): string[] =>
  occurrences(period, at(from), at(to)).map(({ start }) => new Date(start).toISOString().slice(0, 16))

describe('occurrences', () => {
  const cases: [string, Partial<RepeatingPeriod>, string, string, string[]][] = [
    ['once', {}, '2026-01-01', '2027-01-01', ['2026-01-31T22:00']],
    ['a unit alone does not repeat', { repeatUnit: 'DAY' }, '2026-01-01', '2027-01-01', ['2026-01-31T22:00']],
    ['before it', {}, '2026-01-01', '2026-01-31T22:00:00Z', []],
    ['after it', {}, '2026-02-01T02:00:00Z', '2027-01-01', []],
    ['its last millisecond', {}, '2026-02-01T01:59:59.999Z', '2026-02-01T02:00:00Z', ['2026-01-31T22:00']],
    [
      'every second day',
      { repeatInterval: 2, repeatUnit: 'DAY' },
      '2026-02-03',
      '2026-02-07',
      ['2026-02-02T22:00', '2026-02-04T22:00', '2026-02-06T22:00'],
    ],
    [
      'weekly over a change of clocks',
      { repeatInterval: 1, repeatUnit: 'WEEK' },
      '2026-03-22',
      '2026-04-05',
      ['2026-03-21T22:00', '2026-03-28T22:00', '2026-04-04T22:00'],
    ],
    [
      'monthly on the 31st: the last day of a short month, then the 31st again',
      { repeatInterval: 1, repeatUnit: 'MONTH' },
      '2026-02-02',
      '2026-06-15',
      ['2026-02-28T22:00', '2026-03-31T22:00', '2026-04-30T22:00', '2026-05-31T22:00'],
    ],
    [
      'monthly in a leap year',
      { repeatInterval: 1, repeatUnit: 'MONTH' },
      '2028-02-02',
      '2028-03-02',
      ['2028-02-29T22:00'],
    ],
    [
      'every fifth month, over the turn of the year',
      { repeatInterval: 5, repeatUnit: 'MONTH' },
      '2026-02-02',
      '2027-06-01',
      ['2026-06-30T22:00', '2026-11-30T22:00', '2027-04-30T22:00'],
    ],
    [
      'nothing begins at or after repeatEndsAt',
      { repeatInterval: 1, repeatUnit: 'DAY', repeatEndsAt: '2026-02-02T22:00:00Z' },
      '2026-01-01',
      '2027-01-01',
      ['2026-01-31T22:00', '2026-02-01T22:00'],
    ],
    [
      'far from its first start',
      { repeatInterval: 1, repeatUnit: 'DAY' },
      '9998-12-30T12:00:00Z',
      '9998-12-31T12:00:00Z',
      ['9998-12-30T22:00'],
    ],
    [
      'longer than its period: both that overlap',
      { repeatInterval: 1, repeatUnit: 'DAY', endsAt: '2026-02-02T10:00:00Z' },
      '2026-02-05T00:00:00Z',
      '2026-02-05T01:00:00Z',
      ['2026-02-03T22:00', '2026-02-04T22:00'],
    ],
  ]
  it.each(cases)('%s', (_, change, from, to, expected) => {
    expect(startsIn({ ...once, ...change }, from, to)).toEqual(expected)
  })

  it('finds every month, whichever instant is asked about', () => {
    const monthly: RepeatingPeriod = { ...once, repeatInterval: 1, repeatUnit: 'MONTH' }
    const all = occurrences(monthly, at('2026-01-01'), at('2030-01-01'))
    expect(all).toHaveLength(48)
    for (const { start, end } of all) {
      expect(occurrences(monthly, start, start + 1)).toEqual([{ start, end }])
      expect(occurrences(monthly, end - 1, end)).toEqual([{ start, end }])
    }
  })
})

describe('isActive', () => {
  it.each([
    ['2026-01-31T21:59:59.999Z', false],
    ['2026-01-31T22:00:00Z', true],
    ['2026-02-01T01:59:59.999Z', true],
    ['2026-02-01T02:00:00Z', false],
    ['2026-03-01T01:00:00Z', true],
  ])('%s: %s', (instant, expected) => {
    expect(isActive({ ...once, repeatInterval: 1, repeatUnit: 'MONTH' }, at(instant))).toBe(expected)
  })

  it('agrees with occurrences at every hour, for each unit', () => {
    for (const repeatUnit of ['DAY', 'WEEK', 'MONTH', null] as const) {
      for (const hours of [1, 30, 24 * 40]) {
        const endsAt = new Date(at(once.startsAt) + hours * 3_600_000).toISOString()
        const repeatEndsAt = '2026-06-30T22:00:00Z'
        const period: RepeatingPeriod = { ...once, endsAt, repeatInterval: 2, repeatUnit, repeatEndsAt }
        for (let hour = at('2026-01-30'); hour < at('2026-08-20'); hour += 3_600_000) {
          const expected = occurrences(period, hour, hour + 1).length > 0
          if (isActive(period, hour) !== expected)
            expect({ hour: new Date(hour), repeatUnit, hours }).toEqual(expected)
        }
      }
    }
  })
})
