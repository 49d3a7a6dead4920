// When maintenance pauses the runs of a check. Pure: the windows that apply to it go in.
import { dayMs, mergeOccurrences, type Occurrence, occurrences, type RepeatingPeriod } from '@vedette/contracts'

export interface Pauses {
  /** The maintenance that is open now. */
  pause: { from: number; to: number } | null
  /** When the last one before it was over. */
  pausedUntil: number | null
}

/** How far back windows are looked for, at most. */
export const longestLookBackMs = 400 * dayMs

/** Windows that repeat often are found by the first of these, without going through a year of repeats. */
const lookBacks = [dayMs, 8 * dayMs, 40 * dayMs, longestLookBackMs]

/** Many checks share a window: what was found for one is kept for the others. */
export function pausesAt(now: number): (windows: readonly RepeatingPeriod[]) => Pauses {
  const known = new Map<RepeatingPeriod, Occurrence[]>()
  const timesOf = (window: RepeatingPeriod) => {
    const times = known.get(window) ?? nearestTimes(window, now)
    known.set(window, times)
    return times
  }
  return (windows) => {
    const times = mergeOccurrences(windows.flatMap(timesOf))
    const open = times.find(({ start, end }) => start <= now && now < end)
    const over = times.filter(({ end }) => end <= now).at(-1)
    return {
      pause: open === undefined ? null : { from: open.start, to: open.end },
      pausedUntil: over?.end ?? null,
    }
  }
}

function nearestTimes(window: RepeatingPeriod, now: number): Occurrence[] {
  for (const lookBack of lookBacks) {
    const times = occurrences(window, now - lookBack, now + 1)
    if (times.some(({ end }) => end <= now)) return times
  }
  return occurrences(window, now - longestLookBackMs, now + 1)
}
