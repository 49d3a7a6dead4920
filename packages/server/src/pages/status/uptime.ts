// The uptime of services over the last 90 days. It is computed from incidents, not from results; maintenance is excluded.
import { dayMs, mergeOccurrences, type Occurrence } from '@vedette/contracts'
import type { StateName } from '../../look/icons.ts'

export const shownDays = 90

export type Severity = 'CRITICAL' | 'MAJOR' | 'MEDIUM' | 'MINOR'

/** How bad a service is in the eyes of a visitor. */
export type PublicState = Extract<StateName, 'passing' | 'degraded' | 'partial' | 'failing' | 'maintenance'>

/** From bad to good. */
const worstFirst: readonly PublicState[] = ['failing', 'partial', 'degraded', 'maintenance', 'passing']

const stateOfSeverity = {
  CRITICAL: 'failing',
  MAJOR: 'partial',
  MEDIUM: 'degraded',
  MINOR: 'degraded',
} satisfies Record<Severity, PublicState>

export interface Outage extends Occurrence {
  severity: Severity
}

/** Time that doesn't count. */
export interface ExcludedTime extends Occurrence {
  /** True: the bars don't show it. */
  isHidden?: boolean
}

export interface Day {
  /** Midnight UTC. */
  start: number
  state: PublicState
  downMs: number
}

export interface History {
  /** Between 0 and 1. */
  uptime: number
  /** The last 90 days, the oldest first. */
  days: Day[]
}

export function severityState(severity: Severity): PublicState {
  return stateOfSeverity[severity]
}

export function worstState(states: readonly PublicState[]): PublicState {
  return worstFirst.find((state) => states.includes(state)) ?? 'passing'
}

export function historyOf(
  outages: readonly Outage[],
  maintenance: readonly ExcludedTime[],
  now: number,
): History {
  const today = Math.floor(now / dayMs) * dayMs
  const excluded = mergeOccurrences(maintenance)
  const marked = mergeOccurrences(maintenance.filter(({ isHidden }) => !isHidden))
  const first = today - (shownDays - 1) * dayMs
  const byDay = Map.groupBy(
    outages.flatMap((outage) => daysOf(outage, first, today).map((start) => ({ start, outage }))),
    ({ start }) => start,
  )
  const days = Array.from({ length: shownDays }, (_, index): Day => {
    const start = first + index * dayMs
    const day = { start, end: Math.min(start + dayMs, now) }
    const touching = (byDay.get(start) ?? []).map(({ outage }) => outage)
    const during = touching.filter((outage) => outage.start < day.end && outage.end > day.start)
    if (during.length === 0) {
      const isMaintained = overlap(marked, day) > 0
      return { start, state: isMaintained ? 'maintenance' : 'passing', downMs: 0 }
    }
    const state = worstState(during.map(({ severity }) => severityState(severity)))
    return { start, state, downMs: downtime(during, excluded, day) }
  })
  const window = { start: first, end: now }
  const total = window.end - window.start - overlap(excluded, window)
  const down = days.reduce((sum, { downMs }) => sum + downMs, 0)
  return { uptime: total <= 0 ? 1 : Math.max(0, (total - down) / total), days }
}

/** The days that an outage touches. */
function daysOf({ start, end }: Outage, first: number, last: number): number[] {
  const from = Math.max(first, Math.floor(start / dayMs) * dayMs)
  const to = Math.min(last, Math.floor(end / dayMs) * dayMs)
  return to < from ? [] : Array.from({ length: (to - from) / dayMs + 1 }, (_, index) => from + index * dayMs)
}

/** Time in at least one outage and in no maintenance. */
function downtime(
  outages: readonly Outage[],
  maintenance: readonly Occurrence[],
  window: Occurrence,
): number {
  const merged = mergeOccurrences(outages.map(({ start, end }) => ({ start, end })))
  return merged.reduce((sum, outage) => {
    const part = intersection(outage, window)
    return part === null ? sum : sum + part.end - part.start - overlap(maintenance, part)
  }, 0)
}

/** `periods` must not overlap each other. */
function overlap(periods: readonly Occurrence[], window: Occurrence): number {
  return periods.reduce((sum, period) => {
    const part = intersection(period, window)
    return part === null ? sum : sum + part.end - part.start
  }, 0)
}

function intersection(a: Occurrence, b: Occurrence): Occurrence | null {
  const [start, end] = [Math.max(a.start, b.start), Math.min(a.end, b.end)]
  return end > start ? { start, end } : null
}
