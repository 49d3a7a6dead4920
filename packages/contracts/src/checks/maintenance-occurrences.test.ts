import { describe, expect, it } from 'vitest'
import {
  isActive,
  mergeOccurrences,
  type Occurrence,
  occurrences,
  openTimes,
  type RepeatingPeriod,
} from './maintenance-occurrences.ts'

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

/** A window that repeats each so many units and begins when clocks in the zone first show this. */
function repeating(
  timezone: string,
  startsAt: string,
  hours: number,
  unit: RepeatingPeriod['repeatUnit'],
  change: Partial<RepeatingPeriod> = {},
): RepeatingPeriod {
  const endsAt = new Date(at(startsAt) + hours * hour).toISOString()
  return { startsAt, endsAt, repeatInterval: 1, repeatUnit: unit, repeatEndsAt: null, timezone, ...change }
}
const hour = 3_600_000

describe('occurrences by the clocks of a zone', () => {
  const berlin = 'Europe/Berlin'
  const cases: [string, RepeatingPeriod, string, string, string[]][] = [
    [
      'Berlin, daily at 22:00: an hour earlier in UTC from the end of March',
      repeating(berlin, '2026-01-10T21:00:00Z', 2, 'DAY'),
      '2026-03-28',
      '2026-03-30',
      ['2026-03-28T21:00', '2026-03-29T20:00'],
    ],
    [
      'Berlin, daily at 02:30: the skipped one an hour later, by the clock',
      repeating(berlin, '2026-01-10T01:30:00Z', 1, 'DAY'),
      '2026-03-28',
      '2026-03-31',
      ['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'],
    ],
    [
      'Berlin, daily at 02:30: the first of two',
      repeating(berlin, '2026-01-10T01:30:00Z', 1, 'DAY'),
      '2026-10-24T12:00:00Z',
      '2026-10-27',
      ['2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'Berlin, a first start in the second of two hours stays there',
      repeating(berlin, '2026-10-25T01:30:00Z', 1, 'DAY'),
      '2026-10-24',
      '2026-10-28',
      ['2026-10-25T01:30', '2026-10-26T01:30', '2026-10-27T01:30'],
    ],
    [
      'New York, weekly on Sunday at 02:30, skipped on 8 March',
      repeating('America/New_York', '2026-02-01T07:30:00Z', 1, 'WEEK'),
      '2026-03-01',
      '2026-03-16',
      ['2026-03-01T07:30', '2026-03-08T07:30', '2026-03-15T06:30'],
    ],
    [
      'New York, weekly on Sunday at 01:30, doubled on 1 November',
      repeating('America/New_York', '2026-10-18T05:30:00Z', 1, 'WEEK'),
      '2026-10-25',
      '2026-11-09',
      ['2026-10-25T05:30', '2026-11-01T05:30', '2026-11-08T06:30'],
    ],
    [
      'New York, monthly on the 31st at 23:00, which is the next day in UTC',
      repeating('America/New_York', '2026-02-01T04:00:00Z', 1, 'MONTH'),
      '2026-02-02',
      '2026-06-02',
      ['2026-03-01T04:00', '2026-04-01T03:00', '2026-05-01T03:00', '2026-06-01T03:00'],
    ],
    [
      'Lord Howe, daily at 02:15: clocks jump by half an hour',
      repeating('Australia/Lord_Howe', '2026-09-30T15:45:00Z', 1, 'DAY'),
      '2026-10-02T12:00:00Z',
      '2026-10-05',
      ['2026-10-02T15:45', '2026-10-03T15:45', '2026-10-04T15:15'],
    ],
    [
      'Kolkata, daily at 00:15: never a change',
      repeating('Asia/Kolkata', '2026-03-01T18:45:00Z', 1, 'DAY', { repeatInterval: 120 }),
      '2026-03-01',
      '2027-01-01',
      ['2026-03-01T18:45', '2026-06-29T18:45', '2026-10-27T18:45'],
    ],
    [
      'Sydney, in the south: an hour later in UTC from April',
      repeating('Australia/Sydney', '2026-01-04T15:00:00Z', 1, 'WEEK'),
      '2026-03-29',
      '2026-04-13',
      ['2026-03-29T15:00', '2026-04-05T16:00', '2026-04-12T16:00'],
    ],
    [
      'Santiago, in the south: midnight of 6 September is skipped',
      repeating('America/Santiago', '2026-09-04T04:00:00Z', 1, 'DAY'),
      '2026-09-05',
      '2026-09-08',
      ['2026-09-05T04:00', '2026-09-06T04:00', '2026-09-07T03:00'],
    ],
    [
      'Berlin, monthly on the 30th, through a February and a leap year',
      repeating(berlin, '2027-12-29T23:30:00Z', 1, 'MONTH'),
      '2028-01-01',
      '2028-04-01',
      ['2028-01-29T23:30', '2028-02-28T23:30', '2028-03-29T22:30'],
    ],
    [
      'Berlin, yearly on 29 February',
      repeating(berlin, '2028-02-29T09:00:00Z', 1, 'MONTH', { repeatInterval: 12 }),
      '2028-01-01',
      '2032-12-31',
      ['2028-02-29T09:00', '2029-02-28T09:00', '2030-02-28T09:00', '2031-02-28T09:00', '2032-02-29T09:00'],
    ],
    [
      'Berlin, the repeat that would begin at repeatEndsAt does not',
      repeating(berlin, '2026-03-27T21:00:00Z', 1, 'DAY', { repeatEndsAt: '2026-03-29T20:00:00Z' }),
      '2026-01-01',
      '2027-01-01',
      ['2026-03-27T21:00', '2026-03-28T21:00'],
    ],
    [
      'Berlin, longer than its period',
      repeating(berlin, '2026-03-01T21:00:00Z', 52, 'DAY'),
      '2026-03-30T00:00:00Z',
      '2026-03-30T01:00:00Z',
      ['2026-03-27T21:00', '2026-03-28T21:00', '2026-03-29T20:00'],
    ],
    [
      'Berlin in 2200',
      repeating(berlin, '2026-01-10T21:00:00Z', 2, 'DAY'),
      '2200-07-01',
      '2200-07-03',
      ['2200-07-01T20:00', '2200-07-02T20:00'],
    ],
    [
      'Apia, daily at noon: the day that it left out is the next one',
      repeating('Pacific/Apia', '2011-12-28T22:00:00Z', 1, 'DAY'),
      '2011-12-28',
      '2012-01-01T23:00:00Z',
      [
        '2011-12-28T22:00',
        '2011-12-29T22:00',
        '2011-12-30T22:00',
        '2011-12-30T22:00',
        '2011-12-31T22:00',
        '2012-01-01T22:00',
      ],
    ],
  ]
  it.each(cases)('%s', (_, period, from, to, expected) => {
    expect(startsIn(period, from, to)).toEqual(expected)
  })

  it('last as long as the first, also on the night on which clocks change', () => {
    const nightly = repeating(berlin, '2026-03-26T23:00:00Z', 5, 'DAY')
    const ends = occurrences(nightly, at('2026-03-28T12:00:00Z'), at('2026-03-29T12:00:00Z'))
    expect(ends).toEqual([{ start: at('2026-03-28T23:00:00Z'), end: at('2026-03-29T04:00:00Z') }])
  })

  it('take no longer if they are far away', () => {
    const daily = repeating(berlin, '1970-01-02T21:00:00Z', 2, 'DAY')
    // Iterating over all repeats would take 84 million steps, longer than a test may take.
    for (let second = 0; second < 1000; second++) isActive(daily, at('2200-07-01') + second * 1000)
    expect(isActive(daily, at('2200-07-01T20:00:00Z'))).toBe(true)
    expect(isActive(daily, at('2200-07-01T22:00:00Z'))).toBe(false)
  })
})

describe('openTimes', () => {
  it('are cut to what was asked about, and joined where a window is longer than its period', () => {
    const [from, to] = [at('2026-03-01'), at('2026-03-04')]
    expect(openTimes(repeating('UTC', '2026-01-01T23:00:00Z', 2, 'DAY'), from, to)).toEqual([
      { start: from, end: at('2026-03-01T01:00:00Z') },
      { start: at('2026-03-01T23:00:00Z'), end: at('2026-03-02T01:00:00Z') },
      { start: at('2026-03-02T23:00:00Z'), end: at('2026-03-03T01:00:00Z') },
      { start: at('2026-03-03T23:00:00Z'), end: to },
    ])
    expect(openTimes(repeating('UTC', '2026-01-01T23:00:00Z', 24, 'DAY'), from, to)).toEqual([
      { start: from, end: to },
    ])
    expect(openTimes(once, from, to)).toEqual([])
  })

  it('of a window of a century take no longer', () => {
    const long = repeating('Europe/Berlin', '2026-01-01T23:00:00Z', 24 * 36_500, 'DAY')
    const [from, to] = [at('2120-03-01'), at('2120-03-04')]
    expect(openTimes(long, from, to)).toEqual([{ start: from, end: to }])
  })
})

describe('mergeOccurrences', () => {
  it('sorts occurrences and merges those that touch', () => {
    const times = [
      [5, 6],
      [1, 2],
      [2, 4],
      [3, 3.5],
      [8, 9],
    ].map(([start, end]) => ({ start, end }) as Occurrence)
    expect(mergeOccurrences(times)).toEqual([
      { start: 1, end: 4 },
      { start: 5, end: 6 },
      { start: 8, end: 9 },
    ])
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
