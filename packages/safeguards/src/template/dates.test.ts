import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDate } from './date-format.ts'
import { dateOfPhrase } from './date-phrase.ts'

// A Wednesday.
const now = new Date('2026-03-04T05:06:07.089Z')

describe('a date', () => {
  it.each([
    ['YYYY-MM-DD', '2026-03-04'],
    ['YY-M-D', '26-3-4'],
    ['HH:mm:ss.SSS', '05:06:07.089'],
    ['H:m:s S SS', '5:6:7 0 08'],
    ['h:mm A', '5:06 AM'],
    ['hh a', '05 am'],
    ['dddd, MMMM Do YYYY', 'Wednesday, March 4th 2026'],
    ['ddd dd d E MMM', 'Wed We 3 3 Mar'],
    ['X', '1772600767'],
    ['x', '1772600767089'],
    ['YYYY-MM-DDTHH:mm:ssZ', '2026-03-04T05:06:07+00:00'],
    ['ZZ', '+0000'],
    ['Q DDD DDDD', '1 63 063'],
    ['GGGG-[W]WW-E', '2026-W10-3'],
    ['[YYYY] k', 'YYYY 5'],
    ['at: /_', 'amt: /_'],
    ['', ''],
  ])('is written as %j', (pattern, text) => {
    expect(formatDate(now, pattern)).toBe(text)
  })

  it.each([
    ['2027-01-01T00:00:00Z', 'GGGG-WW', '2026-53'],
    ['2024-12-30T12:00:00Z', 'GGGG-WW', '2025-01'],
    ['2026-01-11T13:00:00Z', 'Do hh A', '11th 01 PM'],
    ['2026-01-22T00:00:00Z', 'Do hh kk', '22nd 12 24'],
  ])('%s is written by %s as %s', (date, pattern, text) => {
    expect(formatDate(new Date(date), pattern)).toBe(text)
  })
})

describe('a relative date', () => {
  it.each([
    ['now', '2026-03-04T05:06:07.089Z'],
    ['today', '2026-03-04T05:06:07.089Z'],
    ['', '2026-03-04T05:06:07.089Z'],
    ['2 days ago', '2026-03-02T05:06:07.089Z'],
    ['  2  DAYS  ago ', '2026-03-02T05:06:07.089Z'],
    ['1 day ago', '2026-03-03T05:06:07.089Z'],
    ['an hour ago', '2026-03-04T04:06:07.089Z'],
    ['ten minutes from now', '2026-03-04T05:16:07.089Z'],
    ['in 3 weeks', '2026-03-25T05:06:07.089Z'],
    ['30 seconds later', '2026-03-04T05:06:37.089Z'],
    ['89 ms ago', '2026-03-04T05:06:07.000Z'],
    ['1 month ago', '2026-02-04T05:06:07.089Z'],
    ['5 years ago', '2021-03-04T05:06:07.089Z'],
    ['next week', '2026-03-11T05:06:07.089Z'],
    ['last month', '2026-02-04T05:06:07.089Z'],
    ['next year', '2027-03-04T05:06:07.089Z'],
    ['tomorrow', '2026-03-05T05:06:07.089Z'],
    ['yesterday at noon', '2026-03-03T12:00:00.000Z'],
    ['tomorrow at 9:30', '2026-03-05T09:30:00.000Z'],
    ['tomorrow at 5pm', '2026-03-05T17:00:00.000Z'],
    ['at 12am', '2026-03-04T00:00:00.000Z'],
    ['midnight', '2026-03-04T00:00:00.000Z'],
    ['next monday', '2026-03-09T05:06:07.089Z'],
    ['monday', '2026-03-09T05:06:07.089Z'],
    ['last monday', '2026-03-02T05:06:07.089Z'],
    ['next wednesday', '2026-03-11T05:06:07.089Z'],
    ['last wed', '2026-02-25T05:06:07.089Z'],
    ['friday at 8:15:30', '2026-03-06T08:15:30.000Z'],
    ['2025-12-31', '2025-12-31T00:00:00.000Z'],
    ['2025-12-31 10:20', '2025-12-31T10:20:00.000Z'],
    ['2025-12-31T10:20:30+02:00', '2025-12-31T08:20:30.000Z'],
  ])('%j', (phrase, date) => {
    expect(dateOfPhrase(phrase, now)?.toISOString()).toBe(date)
  })

  it('takes the last day of a shorter month', () => {
    expect(dateOfPhrase('1 month ago', new Date('2026-03-31T00:00:00Z'))?.toISOString()).toBe(
      '2026-02-28T00:00:00.000Z',
    )
  })

  it.each([
    'soon',
    '2 fortnights ago',
    'next',
    'constructor',
    'next constructor',
    '__proto__ days ago',
    '2026-99-01',
    'tomorrow at 25:00',
    '999999999 years ago',
    'x'.repeat(5000),
  ])('is not understood: %j', (phrase) => {
    expect(dateOfPhrase(phrase, now)).toBeNull()
  })

  it('is a date or nothing, never an error', () => {
    const word = fc.constantFrom(
      'next',
      'last',
      'in',
      'ago',
      'at',
      '2',
      'days',
      'monday',
      'noon',
      'from',
      'now',
      '9:99',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 5 })), { maxLength: 5 }), (words) => {
        const date = dateOfPhrase(words.join(' '), now)
        return date === null || !Number.isNaN(date.getTime())
      }),
    )
  })
})
