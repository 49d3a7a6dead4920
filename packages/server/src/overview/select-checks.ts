// Filters, counts and sorts the checks of an overview. Pure.
import {
  checkTypeNames,
  type OverviewGroup,
  type OverviewQuery,
  type StateCounts,
  statesBySeverity,
} from '@vedette/contracts'
import type { z } from 'zod'
import type { OverviewEntry } from './overview-entry.ts'

export type OverviewFilter = z.output<typeof OverviewQuery>

interface Selection {
  total: number
  counts: StateCounts
  muted: number
  groups: OverviewGroup[]
  entries: OverviewEntry[]
}

/** `all`: in the order of their names. */
export function selectChecks(all: readonly OverviewEntry[], filter: OverviewFilter): Selection {
  const { state, sort, limit, offset } = filter
  const isDescending = filter.order === 'desc'
  const matching = all.filter(matches(filter))
  const states = new Set(state)
  const chosen = states.size === 0 ? matching : matching.filter((entry) => states.has(entry.state.state))
  return {
    total: chosen.length,
    ...countStates(matching),
    ...(sort === 'group'
      ? groupChecks(chosen, isDescending, { offset, limit })
      : {
          groups: [],
          entries: sortByKey(chosen, sort === 'name' ? null : keysBy[sort], isDescending).slice(
            offset,
            offset + limit,
          ),
        }),
  }
}

export function countStates(entries: readonly OverviewEntry[]): Pick<Selection, 'counts' | 'muted'> {
  const counts = { passing: 0, degraded: 0, failing: 0, unknown: 0, maintenance: 0, inactive: 0 }
  let muted = 0
  for (const { state, row } of entries) {
    counts[state.state] += 1
    if (row.isMuted) muted += 1
  }
  return { counts, muted }
}

type Filter = Pick<OverviewFilter, 'query' | 'type' | 'tag' | 'location' | 'groupId'> &
  Partial<Pick<OverviewFilter, 'muted'>>

/** In the same order. */
export function filterChecks(all: readonly OverviewEntry[], filter: Filter): OverviewEntry[] {
  return all.filter(matches(filter))
}

function matches({
  query = '',
  type,
  tag,
  location,
  groupId,
  muted,
}: Filter): (entry: OverviewEntry) => boolean {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const [types, tags, locations] = [new Set<string>(type), new Set(tag), new Set(location)]
  return ({ row, text }) =>
    (types.size === 0 || types.has(row.checkType)) &&
    (groupId === undefined || row.groupId === groupId) &&
    (muted === undefined || row.isMuted === muted) &&
    (tags.size === 0 || row.tags.some((one) => tags.has(one))) &&
    (locations.size === 0 ||
      row.locations.some((one) => locations.has(one)) ||
      row.privateLocations.some((one) => locations.has(one))) &&
    words.every((word) => text.includes(word))
}

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Checks without a group come last. */
function groupChecks(
  entries: readonly OverviewEntry[],
  isDescending: boolean,
  { offset, limit }: { offset: number; limit: number },
): Pick<Selection, 'groups' | 'entries'> {
  const sign = isDescending ? -1 : 1
  const grouped = [...Map.groupBy(entries, ({ row }) => row.groupId)].map(([groupId, members]) => ({
    ...{ groupId, name: members[0]?.row.groupName ?? null, total: members.length, members },
    counts: countStates(members).counts,
  }))
  grouped.sort((a, b) => {
    if (a.groupId === null || b.groupId === null) return a.groupId === null ? 1 : -1
    return sign * (byName.compare(a.name ?? '', b.name ?? '') || a.groupId - b.groupId)
  })
  return {
    groups: grouped.map(({ members: _, ...group }) => group),
    entries: grouped.flatMap(({ members }) => members).slice(offset, offset + limit),
  }
}

const types = checkTypeNames.toSorted()

/** Numbers, since comparing texts takes ten times as long; null comes last. */
const keysBy: Record<
  Exclude<OverviewFilter['sort'], 'name' | 'group'>,
  (entry: OverviewEntry) => number | null
> = {
  state: ({ state }) => statesBySeverity.indexOf(state.state),
  type: ({ row }) => types.indexOf(row.checkType),
  availability24h: ({ figures }) => figures.availability24h,
  availability7d: ({ figures }) => figures.availability7d,
  p95: ({ figures }) => figures.p95,
  lastRunAt: ({ facts }) => (facts.heartbeat === null ? facts.lastRunAt : facts.heartbeat.lastPingAt),
  frequency: ({ facts }) => facts.periodMs,
}

/** `keyOf` null: by name, as they are. Those without a value come last; equal ones keep their order. */
export function sortByKey(
  entries: readonly OverviewEntry[],
  keyOf: ((entry: OverviewEntry) => number | null) | null,
  isDescending: boolean,
): readonly OverviewEntry[] {
  if (keyOf === null) return isDescending ? entries.toReversed() : entries
  const sign = isDescending ? -1 : 1
  return entries
    .map((entry) => ({ entry, key: keyOf(entry) }))
    .sort((a, b) => {
      if (a.key === b.key) return 0
      if (a.key === null || b.key === null) return a.key === null ? 1 : -1
      return sign * (a.key - b.key)
    })
    .map(({ entry }) => entry)
}

/** How many active checks run in each location. */
export function countByLocation(entries: readonly OverviewEntry[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { row, state } of entries) {
    if (state.state === 'inactive') continue
    for (const location of [...row.locations, ...row.privateLocations])
      counts.set(location, (counts.get(location) ?? 0) + 1)
  }
  return counts
}
