import { describe, expect, it } from 'vitest'
import { isMuted, muteChoices, muteWords } from './mute-times.ts'

const utc = { isUtc: true }
const now = Date.parse('2026-11-16T22:30:15.000Z')

describe('mutes', () => {
  it('end after a time, tomorrow morning, or never', () => {
    expect(muteChoices(now, utc).map(({ until }) => until)).toEqual([
      '2026-11-16T23:30:15.000Z',
      '2026-11-17T06:30:15.000Z',
      '2026-11-17T09:00:00.000Z',
      null,
    ])
    expect(new Date(muteChoices(now)[2]?.until ?? 0).getHours()).toBe(9)
  })

  it('say until when', () => {
    expect(muteWords(null, now)).toBe('Muted')
    expect(muteWords('2026-11-16T23:30:15.000Z', now, utc)).toBe('Muted until 23:30')
    expect(muteWords('2026-11-17T09:00:00.000Z', now, utc)).toBe('Muted until 2026-11-17 09:00 UTC')
  })

  it('are over by themselves', () => {
    const mutedUntil = '2026-11-16T23:30:15.000Z'
    expect(isMuted({ muted: false, mutedUntil }, now)).toBe(true)
    expect(isMuted({ muted: false, mutedUntil }, now + 3_600_000)).toBe(false)
    expect(isMuted({ muted: true }, now)).toBe(true)
  })
})
