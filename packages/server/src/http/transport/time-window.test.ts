import { ApiError } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { windowOf } from './time-window.ts'

const now = Date.UTC(2026, 10, 15, 12)
const hour = 3_600_000
const seconds = (ms: number) => ms / 1000

describe('the window of a list', () => {
  it.each<[string, { from?: number; to?: number }, { from: number; to: number }]>([
    ['neither: the last 6 hours', {}, { from: now - 6 * hour, to: now }],
    ['from: 6 hours from there', { from: now - 9 * hour }, { from: now - 9 * hour, to: now - 3 * hour }],
    ['to: since 6 hours before now', { to: now - hour }, { from: now - 6 * hour, to: now - hour }],
    ['to long ago: 6 hours before it', { to: now - 9 * hour }, { from: now - 15 * hour, to: now - 9 * hour }],
    ['to in the future: 6 hours before it', { to: now + hour }, { from: now - 5 * hour, to: now + hour }],
    ['both', { from: now - 7 * hour, to: now - 6 * hour }, { from: now - 7 * hour, to: now - 6 * hour }],
    ['6 hours', { from: now - 6 * hour, to: now }, { from: now - 6 * hour, to: now }],
    [
      'from the last second of the year 9999: until its end',
      { from: Date.UTC(9999, 11, 31, 23, 59, 59) },
      { from: Date.UTC(9999, 11, 31, 23, 59, 59), to: Date.UTC(9999, 11, 31, 23, 59, 59, 999) },
    ],
    ['a millisecond', { from: now, to: now + 1 }, { from: now, to: now + 1 }],
    ['to six hours ago', { to: now - 6 * hour }, { from: now - 12 * hour, to: now - 6 * hour }],
    ['to now', { to: now }, { from: now - 6 * hour, to: now }],
    [
      '6 hours that do not begin at a full second',
      { from: now + 1, to: now + 1 + 6 * hour },
      { from: now + 1, to: now + 1 + 6 * hour },
    ],
  ])('%s', (_, { from, to }, expected) => {
    const given = { ...(from && { from: seconds(from) }), ...(to && { to: seconds(to) }) }
    expect(windowOf(given, now)).toEqual(expected)
  })

  it.each([
    ['to before from', { from: seconds(now), to: seconds(now - 1000) }, 'must be after from'],
    ['nothing between', { from: seconds(now), to: seconds(now) }, 'must be after from'],
    [
      'a second too many',
      { from: seconds(now), to: seconds(now + 6 * hour + 1000) },
      'must be at most 6 hours after from',
    ],
    [
      'a millisecond too many',
      { from: seconds(now), to: seconds(now + 6 * hour + 1) },
      'must be at most 6 hours after from',
    ],
  ])('refuses %s', (_, given, message) => {
    const refused = () => windowOf(given, now)
    expect(refused).toThrow(ApiError)
    expect(refused).toThrow(`"to" ${message}`)
  })

  it('is longer if the list allows it', () => {
    const day = 24 * hour
    expect(windowOf({}, now, 24)).toEqual({ from: now - day, to: now })
    expect(windowOf({ from: seconds(now - 2 * day) }, now, 24)).toEqual({
      from: now - 2 * day,
      to: now - day,
    })
    const tooLong = { from: seconds(now - day), to: seconds(now + 1) }
    expect(() => windowOf(tooLong, now, 24)).toThrow('"to" must be at most 24 hours after from')
  })
})
