import { describe, expect, it } from 'vitest'
import { dayOf, readReportRange, writeDays, writePeriod } from './report-range.ts'

const now = new Date('2026-11-16T18:20:00.000Z')
const read = (query: string) => readReportRange(new URLSearchParams(query), now, true)
const at = (text: string) => Date.parse(`${text}Z`) / 1000

describe('the period of a report', () => {
  it('ends with the hour in progress', () => {
    expect(read('')).toEqual({
      period: '30d',
      from: at('2026-10-17T19:00:00'),
      to: at('2026-11-16T19:00:00'),
    })
    expect(read('period=24h')).toMatchObject({ from: at('2026-11-15T19:00:00') })
  })

  it('is a month', () => {
    expect(read('period=this-month')).toMatchObject({
      from: at('2026-11-01T00:00:00'),
      to: at('2026-11-16T19:00:00'),
    })
    expect(read('period=last-month')).toMatchObject({
      from: at('2026-10-01T00:00:00'),
      to: at('2026-11-01T00:00:00'),
    })
  })

  it('is two days, the last one included', () => {
    const range = read('from=2026-11-01&to=2026-11-03')
    expect(range).toEqual({ period: null, from: at('2026-11-01T00:00:00'), to: at('2026-11-04T00:00:00') })
    expect(dayOf(range.to - 1, true)).toBe('2026-11-03')
  })

  it('is the default one where days are missing or backwards', () => {
    expect(read('from=2026-11-03&to=2026-11-01').period).toBe('30d')
    expect(read('from=yesterday&to=2026-11-01').period).toBe('30d')
  })

  it('is written without the page, which belongs to the old period', () => {
    const search = new URLSearchParams('tag=web&page=3&period=7d')
    expect(writePeriod(search, '30d').toString()).toBe('tag=web')
    expect(writeDays(search, '2026-11-01', '2026-11-03').toString()).toBe(
      'tag=web&from=2026-11-01&to=2026-11-03',
    )
  })
})
