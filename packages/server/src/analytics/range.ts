// The range of a report, and the grain that each part of it is read from. Pure; UTC milliseconds.
import { dayMs, hourMs, type QuickRange } from '@vedette/contracts'

const weekMs = 7 * dayMs

/** A Monday, so that intervals of whole weeks begin on Mondays. */
const origin = Date.UTC(1970, 0, 5)

export interface Range {
  from: number
  /** Exclusive. */
  to: number
}

export function quickRange(name: QuickRange, now: number): Range {
  const week = floorTo(now, weekMs)
  const at = new Date(now)
  const month = (offset: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + offset)
  switch (name) {
    case 'last24Hours':
      return { from: now - dayMs, to: now }
    // Long ranges begin on a full hour: rollups have no parts of hours.
    case 'last7Days':
      return { from: floorTo(now, hourMs) - 7 * dayMs, to: now }
    case 'last30Days':
      return { from: floorTo(now, hourMs) - 30 * dayMs, to: now }
    case 'thisWeek':
      return { from: week, to: now }
    case 'thisMonth':
      return { from: month(0), to: now }
    case 'lastWeek':
      return { from: week - weekMs, to: week }
    case 'lastMonth':
      return { from: month(-1), to: month(0) }
  }
}

interface RangeQuery {
  from?: number | undefined
  to?: number | undefined
  quickRange: QuickRange
}

/** With one end given, the quick range determines the length. */
export function rangeOf(query: RangeQuery, now: number): Range {
  const quick = quickRange(query.quickRange, now)
  const to = query.to === undefined ? null : Math.round(query.to * 1000)
  if (query.from !== undefined) {
    const from = Math.round(query.from * 1000)
    return { from, to: to ?? Math.max(now, from) }
  }
  return to === null ? quick : { from: Math.max(0, to - (quick.to - quick.from)), to }
}

/** The start of the interval that contains the instant. */
export function floorTo(instant: number, interval: number): number {
  return Math.floor((instant - origin) / interval) * interval + origin
}

function ceilTo(instant: number, interval: number): number {
  return floorTo(instant + interval - 1, interval)
}

export type Grain = 'run' | 'hour' | 'day'

/** Short ranges and fine intervals are read from the results. */
export function grainOf({ from, to }: Range, intervalMs: number | null): Grain {
  if (to - from <= 2 * dayMs) return 'run'
  if (intervalMs === null || intervalMs % dayMs === 0) return 'day'
  return intervalMs % hourMs === 0 ? 'hour' : 'run'
}

/**
 * The whole range in order: runs, hours, days, hours, runs. The query reads days that aren't completely rolled up as hours, and
 * pending hours as runs, in one snapshot.
 */
export interface Parts {
  from: number
  hoursFrom: number
  daysFrom: number
  daysTo: number
  hoursTo: number
  to: number
}

/** Before `keptSince` results are deleted, so partial hours are read as whole hours. */
export function partsOf({ from, to }: Range, grain: Grain, keptSince: number): Parts {
  const hours = { from: ceilTo(from, hourMs), to: floorTo(to, hourMs) }
  if (grain === 'run' || hours.from >= hours.to) {
    return { from, hoursFrom: to, daysFrom: to, daysTo: to, hoursTo: to, to }
  }
  if (from < keptSince) hours.from = floorTo(from, hourMs)
  if (to < keptSince) hours.to = ceilTo(to, hourMs)
  const days = { from: ceilTo(hours.from, dayMs), to: floorTo(hours.to, dayMs) }
  if (grain === 'hour' || days.from >= days.to) days.from = days.to = hours.to
  return {
    from: Math.min(from, hours.from),
    hoursFrom: hours.from,
    daysFrom: days.from,
    daysTo: days.to,
    hoursTo: hours.to,
    to: Math.max(to, hours.to),
  }
}
