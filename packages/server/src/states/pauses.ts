// When maintenance pauses the runs of a check. Pure: its input are the windows that apply to the check.
import {
  dayMs,
  mergeOccurrences,
  type Occurrence,
  occurrences,
  type RepeatingPeriod,
} from '@vedette/contracts'

export interface Pauses {
  /** The maintenance that is open now. */
  pause: { from: number; to: number } | null
  /** When the previous one ended. */
  pausedUntil: number | null
}

/** The longest time that is searched for past windows. */
export const longestLookBackMs = 400 * dayMs

/** Frequent windows are found in the first range, without enumerating a year of repeats. */
const lookBacks = [dayMs, 8 * dayMs, 40 * dayMs, longestLookBackMs]

/** Many checks share a window, so its times are cached. */
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
