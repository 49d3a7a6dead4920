// Which notices about a maintenance window are due. Pure: it doesn't matter how often or how late it is asked.
import { dayMs, minuteMs, occurrences } from '@vedette/contracts'
import type { Notice, NoticeWindow } from '../../storage/pages/maintenance-notices.ts'

/** An end that is older is no news. */
const lateMs = dayMs
/** At the latest, a window is looked at again after that time. */
const recheckMs = dayMs
const earliestNoticeMs = 7 * dayMs

export interface DueNotice extends Notice {
  end: number
  /** False: it is turned off, or a later one replaces it. */
  isMailed: boolean
}

export interface NoticePlan {
  due: DueNotice[]
  /** When to look again. */
  dueAt: number
  /** Occurrences that started before have no more notices. */
  forgetBefore: number
}

/** `written`: those of earlier plans. */
export function planNotices(window: NoticeWindow, written: readonly Notice[], now: number): NoticePlan {
  const times = occurrences(window, now - lateMs, now + recheckMs + earliestNoticeMs)
  const due = times.flatMap(({ start, end }) => {
    const known = written.filter((notice) => notice.start === start)
    const isNew = ({ kind, minutesBefore }: Notice) =>
      !known.some((notice) => notice.kind === kind && notice.minutesBefore === minutesBefore)
    return dueOf(window, { start, end }, known.length > 0, now).filter(isNew)
  })
  const moments = times.flatMap(({ start, end }) => [
    ...window.visibility.reminderMinutesBefore.map((minutes) => start - minutes * minuteMs),
    start,
    end,
  ])
  return {
    due,
    dueAt: Math.min(now + recheckMs, ...moments.filter((moment) => moment > now)),
    forgetBefore: now - lateMs - (Date.parse(window.endsAt) - Date.parse(window.startsAt)),
  }
}

/** Nobody is notified of the start after the end, nor of the end of what was never announced or seen running. */
function dueOf(
  { visibility }: NoticeWindow,
  { start, end }: { start: number; end: number },
  isKnown: boolean,
  now: number,
): DueNotice[] {
  const one = (kind: Notice['kind'], isMailed: boolean, minutesBefore = 0): DueNotice => ({
    ...{ start, end, kind, isMailed, minutesBefore },
  })
  if (now < start) {
    const passed = visibility.reminderMinutesBefore.filter((minutes) => start - minutes * minuteMs <= now)
    return passed.map((minutes) => one('before', minutes === Math.min(...passed), minutes))
  }
  if (now < end) return [one('start', visibility.notifyOnStart && visibility.autoStart)]
  return isKnown && now < end + lateMs ? [one('end', visibility.notifyOnEnd && visibility.autoEnd)] : []
}
