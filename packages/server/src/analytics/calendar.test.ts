import type { Granularity } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { calendarRanges } from './calendar.ts'

function cuts(from: string, to: string, granularity: Granularity, timezone: string): string[] {
  const ranges = calendarRanges({ from: Date.parse(from), to: Date.parse(to) }, granularity, timezone, 100)
  for (const [index, { to: end }] of ranges.entries()) {
    expect(end).toBe(ranges[index + 1]?.from ?? Date.parse(to))
  }
  return ranges.map((range) => new Date(range.from).toISOString().slice(0, 16))
}

describe('calendar ranges', () => {
  it.each<[string, Granularity, string, string, string, string[]]>([
    [
      'days of UTC',
      'day',
      'UTC',
      '2026-03-01T12:00Z',
      '2026-03-03T06:00Z',
      ['2026-03-01T12:00', '2026-03-02T00:00', '2026-03-03T00:00'],
    ],
    [
      'days across a change to summer time',
      'day',
      'Europe/Paris',
      '2026-03-27T23:00Z',
      '2026-03-30T22:00Z',
      ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00'],
    ],
    [
      'days across a change to winter time',
      'day',
      'America/New_York',
      '2026-10-31T04:00Z',
      '2026-11-03T05:00Z',
      ['2026-10-31T04:00', '2026-11-01T04:00', '2026-11-02T05:00'],
    ],
    [
      'days of a zone off by half an hour',
      'day',
      'Asia/Kolkata',
      '2026-03-01T18:30Z',
      '2026-03-03T18:30Z',
      ['2026-03-01T18:30', '2026-03-02T18:30'],
    ],
    [
      'a day that begins late, as its midnight is skipped',
      'day',
      'America/Santiago',
      '2026-09-05T04:00Z',
      '2026-09-07T03:00Z',
      ['2026-09-05T04:00', '2026-09-06T04:00'],
    ],
    [
      'a day that begins twice',
      'day',
      'America/Havana',
      '2026-10-31T04:00Z',
      '2026-11-02T05:00Z',
      ['2026-10-31T04:00', '2026-11-01T04:00'],
    ],
    [
      'weeks from Monday',
      'week',
      'UTC',
      '2026-03-01T00:00Z',
      '2026-03-16T00:00Z',
      ['2026-03-01T00:00', '2026-03-02T00:00', '2026-03-09T00:00'],
    ],
    [
      'months',
      'month',
      'Asia/Tokyo',
      '2026-01-10T00:00Z',
      '2026-03-10T00:00Z',
      ['2026-01-10T00:00', '2026-01-31T15:00', '2026-02-28T15:00'],
    ],
  ])('%s', (_, granularity, timezone, from, to, expected) => {
    expect(cuts(from, to, granularity, timezone)).toEqual(expected)
  })

  it('are at most one more than the limit', () => {
    const range = { from: 0, to: 1000 * 86_400_000 }
    expect(calendarRanges(range, 'day', 'UTC', 5)).toHaveLength(6)
  })
})
