// A check in the overview of its account, kept in memory.
import type { OverviewCheck } from '@vedette/contracts'
import { round } from '../analytics/summary.ts'
import { checkState, type DerivedState } from '../states/check-state.ts'
import type { StateFacts } from '../states/state-facts.ts'
import type { LocatedCause } from '../states/unknown-cause.ts'
import type { SummaryRow } from '../storage/results/check-summaries.ts'
import type { LastRun, OverviewRow, RecentRuns } from '../storage/results/overview-reads.ts'

export interface OverviewEntry {
  row: OverviewRow
  facts: StateFacts
  state: DerivedState
  cause: LocatedCause | null
  /** Until when the state can't change by itself. */
  validUntil: number
  /** The revision of the overview in which it last changed. */
  revision: number
  /** What a search looks in, in lower case. */
  text: string
  /** Of the target. */
  host: string | null
  summary: SummaryRow | null
  recent: RecentRuns | null
  figures: Figures
}

type Figures = Pick<OverviewCheck, 'availability24h' | 'availability7d' | 'p95'>

export const noFigures: Figures = { availability24h: null, availability7d: null, p95: null }

export function figuresOf(summary: SummaryRow | null, recent: RecentRuns | null): Figures {
  const [runs, passed] = [recent?.runs ?? 0, recent?.passed ?? 0]
  return {
    availability24h: availability((summary?.runs24h ?? 0) + runs, (summary?.passed24h ?? 0) + passed),
    availability7d: availability((summary?.runs7d ?? 0) + runs, (summary?.passed7d ?? 0) + passed),
    p95: summary?.p95 ?? (recent === null || recent.p95 === null ? null : round(recent.p95)),
  }
}

function availability(runs: number, passed: number): number | null {
  return runs === 0 ? null : round((100 * passed) / runs)
}

export function searchTextOf({ id, name, groupName, tags }: OverviewRow, host: string | null): string {
  return [name, groupName ?? '', ...tags, host ?? '', id].join('\n').toLowerCase()
}

/** Null: there is none, or it depends on a variable. */
export function hostOf(target: string | null): string | null {
  if (target === null) return null
  const url = URL.parse(target.includes('://') ? target : `tcp://${target}`)
  const host = url?.hostname.toLowerCase() ?? ''
  return host === '' || host.includes('{{') || host.includes('%7b') ? null : host
}

export function serializeOverviewCheck(
  { row, facts, cause, figures }: OverviewEntry,
  runs: readonly LastRun[],
  now: number,
): OverviewCheck {
  const { state, since, reason, lastRunAt, nextRunAt, staleLocations } = checkState(facts, now, cause)
  return {
    id: row.id,
    name: row.name,
    checkType: row.checkType,
    groupId: row.groupId,
    groupName: row.groupName,
    tags: row.tags,
    activated: row.activated,
    muted: row.isMuted,
    mutedUntil: row.mutedUntil === null ? null : new Date(row.mutedUntil).toISOString(),
    frequency: row.frequency,
    frequencyOffset: row.frequencyOffset,
    locations: row.locations,
    privateLocations: row.privateLocations,
    ...{ state, since, reason, lastRunAt, nextRunAt, staleLocations },
    ...figures,
    runs: runs.map(({ state, duration }) => ({ state, duration })),
  }
}
