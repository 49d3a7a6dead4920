import { describe, expect, it } from 'vitest'
import { instantOfWallTime, isTimezone, wallTimeAt } from './wall-clock.ts'

describe('isTimezone', () => {
  it.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'US/Pacific', 'Etc/GMT+5', 'EST'])('takes %s', (name) => {
    expect(isTimezone(name)).toBe(true)
  })
  it.each(['', 'Mars/Olympus', '+02:00', '-0500', 'GMT+2', 'Europe', 'Europe/Berlin ', '\u0000'])(
    'refuses %j',
    (name) => expect(isTimezone(name)).toBe(false),
  )
})

describe('wall time', () => {
  const read = (text: string) => Date.parse(`${text}Z`)
  const show = (instant: number) => new Date(instant).toISOString().replace(/(:00)?\.000Z$/, '')

  // zone, what the wall shows, the instant in UTC, what the wall shows then
  it.each([
    ['UTC', '2026-03-29T02:30', '2026-03-29T02:30', '2026-03-29T02:30'],
    ['Europe/Berlin', '2026-03-29T01:59', '2026-03-29T00:59', '2026-03-29T01:59'],
    ['Europe/Berlin', '2026-03-29T02:00', '2026-03-29T01:00', '2026-03-29T03:00'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30', '2026-03-29T03:30'],
    ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00', '2026-03-29T03:00'],
    ['Europe/Berlin', '2026-10-25T01:59', '2026-10-24T23:59', '2026-10-25T01:59'],
    ['Europe/Berlin', '2026-10-25T02:30', '2026-10-25T00:30', '2026-10-25T02:30'],
    ['Europe/Berlin', '2026-10-25T03:00', '2026-10-25T02:00', '2026-10-25T03:00'],
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30', '2026-03-08T03:30'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30', '2026-11-01T01:30'],
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45', '2026-10-04T02:45'],
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45', '2026-04-05T01:45'],
    ['Asia/Kolkata', '2026-03-29T02:30', '2026-03-28T21:00', '2026-03-29T02:30'],
    ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00', '2011-12-31T12:00'],
    ['America/St_Johns', '2006-04-02T00:01', '2006-04-02T03:31', '2006-04-02T01:01'],
    ['America/St_Johns', '2006-04-02T00:00:59', '2006-04-02T03:30:59', '2006-04-02T00:00:59'],
    ['America/New_York', '1969-12-31T19:00', '1970-01-01T00:00', '1969-12-31T19:00'],
    ['Not/Known', '2026-03-29T02:30', '2026-03-29T02:30', '2026-03-29T02:30'],
  ])('%s: %s is %s UTC, when clocks show %s', (zone, wall, instant, shown) => {
    expect(show(instantOfWallTime(zone, read(wall)))).toBe(instant)
    expect(show(wallTimeAt(zone, read(instant)))).toBe(shown)
  })

  it('keeps milliseconds', () => {
    const instant = Date.parse('2026-07-01T10:00:00.123Z')
    expect(wallTimeAt('Europe/Berlin', instant)).toBe(instant + 7_200_000)
    expect(instantOfWallTime('Europe/Berlin', instant + 7_200_000)).toBe(instant)
  })
})
