import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatClock,
  formatDuration,
  formatExact,
  formatList,
  formatMoment,
  formatNumberOf,
  formatPercent,
  formatRelative,
  formatSpan,
} from './format.ts'

describe('formats', () => {
  it.each([
    [0.1234, '0.12 ms'],
    [312.4, '312 ms'],
    [999.6, '1 s'],
    [1240, '1.24 s'],
    [59_949, '59.9 s'],
    [125_000, '2 min 5 s'],
    [12_000_000, '3 h 20 min'],
  ])('%d ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it.each([
    [0, '0 s'],
    [59_000, '59 s'],
    [600_000, '10 min'],
    [3_600_000, '1 h'],
    [12 * 86_400_000 + 5, '12 d'],
  ])('a span of %d ms is %s', (ms, text) => expect(formatSpan(ms)).toBe(text))

  it.each([
    [100, '100 %'],
    [99.996, '99.99 %'],
    [99.95, '99.95 %'],
    [99.5, '99.5 %'],
    [0, '0 %'],
  ])('%d percent is %s', (percent, text) => expect(formatPercent(percent)).toBe(text))

  it.each([
    [999, '999 B'],
    [1240, '1.24 kB'],
    [25_000_000, '25 MB'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it('counts with a separator and the right form', () => {
    expect(formatNumberOf(1, 'check')).toBe('1 check')
    expect(formatNumberOf(9812, 'check')).toBe('9,812 checks')
  })

  it('shows relative times in both directions, and dates of long ago', () => {
    const now = Date.UTC(2026, 10, 16, 14, 0, 0)
    expect(formatRelative(now - 1000, now)).toBe('just now')
    expect(formatRelative(now - 61_000, now)).toBe('1 min ago')
    expect(formatRelative(now + 300_000, now)).toBe('in 5 min')
    expect(formatRelative(Date.UTC(2026, 0, 2, 12), now)).toBe('2026-01-02')
  })

  it('shows exact times in UTC on request, and the date only on another day', () => {
    const at = Date.UTC(2026, 10, 16, 14, 2, 11)
    expect(formatExact(at, { isUtc: true })).toBe('2026-11-16 14:02:11 UTC')
    expect(formatClock(at, { isUtc: true })).toBe('14:02:11')
    expect(formatMoment(at, at + 60_000, { isUtc: true })).toBe('14:02:11')
    expect(formatMoment(at, at + 86_400_000, { isUtc: true })).toBe('2026-11-16 14:02:11 UTC')
  })

  it('lists names, and counts what is left', () => {
    expect(formatList([])).toBe('')
    expect(formatList(['a'])).toBe('a')
    expect(formatList(['a', 'b'])).toBe('a and b')
    expect(formatList(['a', 'b', 'c'])).toBe('a, b and c')
    expect(formatList(['a', 'b', 'c', 'd', 'e'])).toBe('a, b and 3 more')
  })
})
