import { dayMs, hourMs, minuteMs, type QuickRange } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { floorTo, grainOf, partsOf, quickRange, rangeOf } from './range.ts'

/** A Sunday. */
const now = Date.parse('2026-03-01T10:20:30.456Z')

function named({ from, to }: { from: number; to: number }): [string, string] {
  return [new Date(from).toISOString(), new Date(to).toISOString()]
}

describe('quick ranges', () => {
  const at = '2026-03-01T10:20:30.456Z'
  it.each<[QuickRange, string, string]>([
    ['last24Hours', '2026-02-28T10:20:30.456Z', at],
    ['last7Days', '2026-02-22T10:00:00.000Z', at],
    ['last30Days', '2026-01-30T10:00:00.000Z', at],
    ['thisWeek', '2026-02-23T00:00:00.000Z', at],
    ['thisMonth', '2026-03-01T00:00:00.000Z', at],
    ['lastWeek', '2026-02-16T00:00:00.000Z', '2026-02-23T00:00:00.000Z'],
    ['lastMonth', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ])('%s', (name, from, to) => {
    expect(named(quickRange(name, now))).toEqual([from, to])
  })

  it('begin a week on Monday, not on the day after', () => {
    const monday = Date.parse('2026-03-02T00:00:00.000Z')
    expect(quickRange('thisWeek', monday)).toEqual({ from: monday, to: monday })
    expect(quickRange('lastMonth', Date.parse('2026-01-31T23:00:00Z')).from).toBe(Date.UTC(2025, 11, 1))
  })
})

describe('from and to', () => {
  const day = { quickRange: 'last24Hours' } as const
  it('override the quick range', () => {
    expect(rangeOf({ ...day, from: 100, to: 200.5 }, now)).toEqual({ from: 100_000, to: 200_500 })
  })
  it('alone extend to now, or as far back as the quick range', () => {
    expect(rangeOf({ ...day, from: 100 }, now)).toEqual({ from: 100_000, to: now })
    expect(rangeOf({ ...day, to: 172_800 }, now)).toEqual({ from: dayMs, to: 2 * dayMs })
  })
})

describe('intervals', () => {
  it('of weeks begin on Monday, others with the day and the hour', () => {
    expect(new Date(floorTo(now, 7 * dayMs)).toISOString()).toBe('2026-02-23T00:00:00.000Z')
    expect(new Date(floorTo(now, dayMs)).toISOString()).toBe('2026-03-01T00:00:00.000Z')
    expect(new Date(floorTo(now, 15 * minuteMs)).toISOString()).toBe('2026-03-01T10:15:00.000Z')
  })
})

describe('the grain of a range', () => {
  const long = { from: now - 30 * dayMs, to: now }
  it.each([
    ['a short range', { from: now - 2 * dayMs, to: now }, dayMs, 'run'],
    ['a fine interval', long, 30 * minuteMs, 'run'],
    ['an interval that cuts hours', long, 90 * minuteMs, 'run'],
    ['hours', long, hourMs, 'hour'],
    ['several hours', long, 6 * hourMs, 'hour'],
    ['days', long, dayMs, 'day'],
    ['no interval', long, null, 'day'],
  ] as const)('%s', (_, range, interval, grain) => {
    expect(grainOf(range, interval)).toBe(grain)
  })
})

describe('parts', () => {
  const t = (text: string) => Date.parse(`2026-03-${text}Z`)
  const range = { from: t('01T10:20:00'), to: t('04T15:40:00') }

  it('are runs, hours, days, hours and runs', () => {
    expect(partsOf(range, 'day', 0)).toEqual({
      from: range.from,
      hoursFrom: t('01T11:00:00'),
      daysFrom: t('02T00:00:00'),
      daysTo: t('04T00:00:00'),
      hoursTo: t('04T15:00:00'),
      to: range.to,
    })
  })

  it('have no days if the grain is an hour', () => {
    const { daysFrom, daysTo, hoursTo } = partsOf(range, 'hour', 0)
    expect([daysFrom, daysTo]).toEqual([hoursTo, hoursTo])
  })

  it('are all runs if the grain is a run, or without a whole hour', () => {
    const { to } = range
    const parts = { from: range.from, hoursFrom: to, daysFrom: to, daysTo: to, hoursTo: to, to }
    expect(partsOf(range, 'run', 0)).toEqual(parts)
    const short = { from: t('01T10:20:00'), to: t('01T11:40:00') }
    expect(partsOf(short, 'hour', 0)).toMatchObject({ from: short.from, hoursFrom: short.to })
  })

  it('begin and end with whole hours if the results are deleted', () => {
    expect(partsOf(range, 'hour', t('02T00:00:00'))).toMatchObject({
      from: t('01T10:00:00'),
      hoursFrom: t('01T10:00:00'),
      hoursTo: t('04T15:00:00'),
      to: range.to,
    })
    expect(partsOf(range, 'hour', t('09T00:00:00'))).toMatchObject({
      hoursTo: t('04T16:00:00'),
      to: t('04T16:00:00'),
    })
  })
})
