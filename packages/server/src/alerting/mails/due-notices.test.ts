import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import type { Notice, NoticeWindow } from '../../storage/pages/maintenance-notices.ts'
import { planNotices } from './due-notices.ts'

const start = Date.parse('2026-11-20T08:00:00Z')
const end = start + hourMs

const visibility = {
  enabled: true,
  severity: null,
  affectAllServices: true,
  suppressAutoIncidents: false,
  notifyOnStart: true,
  notifyOnEnd: true,
  reminderMinutesBefore: [1440, 60],
  autoStart: true,
  autoEnd: true,
  showAffectedServices: true,
  statusPageIds: [],
  serviceIds: [],
}

const windowOf = (changes: Partial<NoticeWindow['visibility']> = {}, period = {}): NoticeWindow => ({
  ...{ id: 7, accountId: 'a', name: 'Release', description: null },
  visibility: { ...visibility, ...changes },
  ...{ startsAt: new Date(start).toISOString(), endsAt: new Date(end).toISOString() },
  ...{ repeatInterval: null, repeatUnit: null, repeatEndsAt: null, timezone: null },
  ...period,
})

/** Looks at these times, as the server does; returns what is mailed at each. */
function mailedAt(window: NoticeWindow, times: number[]): string[][] {
  const written: Notice[] = []
  return times.map((now) => {
    const { due } = planNotices(window, written, now)
    written.push(...due)
    return due.filter(({ isMailed }) => isMailed).map(({ kind, minutesBefore }) => `${kind} ${minutesBefore}`)
  })
}

const before = (minutes: number) => start - minutes * minuteMs

describe('notices about maintenance', () => {
  it('are due in advance, at the start and at the end, each once', () => {
    const times = [before(1441), before(1440), before(1439), before(60), start, end - 1, end, end + hourMs]
    expect(mailedAt(windowOf(), times)).toEqual([
      [],
      ['before 1440'],
      [],
      ['before 60'],
      ['start 0'],
      [],
      ['end 0'],
      [],
    ])
  })

  it('are looked at again at the next of these times, at least once a day', () => {
    const next = (now: number) => planNotices(windowOf(), [], now).dueAt
    expect(next(before(1500))).toBe(before(1440))
    expect(next(before(1440))).toBe(before(60))
    expect(next(before(60))).toBe(start)
    expect(next(start)).toBe(end)
    expect(next(end)).toBe(end + dayMs)
    expect(next(start - 30 * dayMs)).toBe(start - 29 * dayMs)
  })

  it('announce once what is published shortly before it starts', () => {
    expect(mailedAt(windowOf(), [before(30), start])).toEqual([['before 60'], ['start 0']])
  })

  it('add no earlier announcement after a later one', () => {
    const written: Notice[] = [{ start, kind: 'before', minutesBefore: 60 }]
    const { due } = planNotices(windowOf(), written, before(30))
    expect(due).toMatchObject([{ minutesBefore: 1440, isMailed: false }])
  })

  it('leave out what was missed: announcements after the start, the start after the end', () => {
    expect(mailedAt(windowOf(), [before(2000), start + minuteMs])).toEqual([[], ['start 0']])
    expect(mailedAt(windowOf(), [before(60), end + minuteMs])).toEqual([['before 60'], ['end 0']])
    expect(mailedAt(windowOf(), [start, end + dayMs])).toEqual([['start 0'], []])
  })

  it('say nothing about the end of what was published only afterwards', () => {
    expect(mailedAt(windowOf(), [end + minuteMs])).toEqual([[]])
  })

  it('are left out where they are turned off, and the others still come', () => {
    const times = [before(1440), start, end]
    const none = { reminderMinutesBefore: [], notifyOnStart: false }
    expect(mailedAt(windowOf(none), times)).toEqual([[], [], ['end 0']])
    expect(mailedAt(windowOf({ autoStart: false }), times)).toEqual([['before 1440'], [], ['end 0']])
    expect(mailedAt(windowOf({ autoEnd: false }), times)).toEqual([['before 1440'], ['start 0'], []])
  })

  it('come for each occurrence', () => {
    const daily = windowOf({ reminderMinutesBefore: [] }, { repeatInterval: 1, repeatUnit: 'DAY' })
    const times = [start, end, start + dayMs, end + dayMs]
    expect(mailedAt(daily, times)).toEqual([['start 0'], ['end 0'], ['start 0'], ['end 0']])
  })

  it('know the start as long as an end can follow', () => {
    expect(planNotices(windowOf(), [], end + dayMs).forgetBefore).toBe(start)
  })
})
