import { describe, expect, it } from 'vitest'
import { bucketMinutes, fromInputTime, readRange, toInputTime, writeRange } from './time-range.ts'

const now = Date.UTC(2026, 10, 16, 14, 0, 30)
const minute = Date.UTC(2026, 10, 16, 14, 1) / 1000
const read = (text: string) => readRange(new URLSearchParams(text), now)

describe('the range in the address', () => {
  it('is the last 24 hours unless the address says otherwise', () => {
    expect(read('')).toEqual({ span: '24h', from: minute - 86_400, to: minute })
    expect(read('range=7d').from).toBe(minute - 604_800)
    expect(read('range=century').span).toBe('24h')
  })

  it('can be two instants', () => {
    expect(read('from=100&to=200')).toEqual({ span: null, from: 100, to: 200 })
    for (const wrong of ['from=200&to=100', 'from=x&to=100', 'from=-1&to=5', 'from=1'])
      expect(read(wrong).span, wrong).toBe('24h')
  })

  it('is written beside other parameters', () => {
    expect(writeRange(new URLSearchParams('tab=results&range=7d'), '30d').toString()).toBe(
      'tab=results&range=30d',
    )
    expect(writeRange(new URLSearchParams('tab=results&range=7d'), '24h').toString()).toBe('tab=results')
    expect(writeRange(new URLSearchParams('range=7d'), { from: 1.5, to: 9.2 }).toString()).toBe(
      'from=1&to=10',
    )
  })
})

it.each([
  [3_600, 1, 1],
  [3_600, 10, 10],
  [86_400, 10, 15],
  [604_800, 5, 120],
  [2_592_000, 5, 720],
  [86_400, 1440, 60],
])(
  '%d s of a check that runs every %d minutes have buckets of %d minutes',
  (seconds, frequency, expected) => {
    expect(bucketMinutes({ span: null, from: 0, to: seconds }, frequency)).toBe(expected)
  },
)

it('is entered to the minute, in the zone of the browser or in UTC', () => {
  const at = Date.parse('2026-11-16T14:02:00Z') / 1000
  expect(toInputTime(at, true)).toBe('2026-11-16T14:02')
  for (const isUtc of [true, false]) expect(fromInputTime(toInputTime(at, isUtc), isUtc)).toBe(at)
  expect(fromInputTime('', true)).toBeNull()
})
