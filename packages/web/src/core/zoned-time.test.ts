import { describe, expect, it } from 'vitest'
import { fromLocalInput, toLocalInput } from './zoned-time.ts'

describe('wall-clock times', () => {
  it.each([
    ['2026-11-20T08:00:00.000Z', 'UTC', '2026-11-20T08:00'],
    ['2026-11-20T08:00:00.000Z', 'Europe/Berlin', '2026-11-20T09:00'],
    ['2026-07-20T08:00:00.000Z', 'Europe/Berlin', '2026-07-20T10:00'],
    ['2026-11-20T08:00:00.000Z', 'America/New_York', '2026-11-20T03:00'],
    ['2026-11-20T20:00:00.000Z', 'Asia/Kolkata', '2026-11-21T01:30'],
  ])('%s in %s is %s, and back', (instant, zone, text) => {
    expect(toLocalInput(instant, zone)).toBe(text)
    expect(fromLocalInput(text, zone)).toBe(instant)
  })

  it('that a clock change skips or repeats are still instants', () => {
    // Berlin, 2026-03-29: 02:00 becomes 03:00. 2026-10-25: 03:00 becomes 02:00.
    expect(['2026-03-29T00:30:00.000Z', '2026-03-29T01:30:00.000Z']).toContain(
      fromLocalInput('2026-03-29T02:30', 'Europe/Berlin'),
    )
    expect(['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']).toContain(
      fromLocalInput('2026-10-25T02:30', 'Europe/Berlin'),
    )
    expect(fromLocalInput('2026-03-29T03:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
  })

  it('that are none', () => {
    expect(fromLocalInput('', 'UTC')).toBeNull()
    expect(toLocalInput(null, 'UTC')).toBe('')
  })
})
