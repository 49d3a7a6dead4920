// Groups what needs attention: checks that fail, are degraded or don't run, one entry per cause. Pure.
import type { Attention } from '@vedette/contracts'
import { LRUCache } from 'lru-cache'
import { getOrInsert } from '../core/get-or-insert.ts'
import { locationName } from '../core/location-text.ts'
import { cleanErrorMessage } from '../ingest/error-group.ts'
import { causeClause } from '../states/state-reason.ts'
import type { LastRun } from '../storage/results/overview-reads.ts'
import type { OverviewEntry } from './overview-entry.ts'

type AttentionState = Attention['state']
type GroupedBy = NonNullable<Attention['groupedBy']>

export interface AttentionGroup extends Omit<Attention, 'checks'> {
  /** The latest first. */
  entries: OverviewEntry[]
}

export function needsAttention({ row, state }: OverviewEntry): boolean {
  return !row.isMuted && isAttentionState(state.state)
}

function isAttentionState(state: string): state is AttentionState {
  return state === 'failing' || state === 'degraded' || state === 'unknown'
}

/** The latest first. `runsOf`: the last runs, if they are known. */
export function groupAttention(
  entries: readonly OverviewEntry[],
  runsOf: (entry: OverviewEntry) => readonly LastRun[],
): AttentionGroup[] {
  const candidates = entries.flatMap((entry): Candidate[] => {
    const { state } = entry.state
    if (!isAttentionState(state)) return []
    const locations = locationsOf(entry, state, runsOf(entry))
    return [{ entry, state, locations, causes: causesOf(entry, state, locations) }]
  })
  const shared = new Map<string, number>()
  for (const { causes } of candidates)
    for (const { key } of causes) shared.set(key, (shared.get(key) ?? 0) + 1)
  // Each check joins the largest group that it can; of equally large ones the first.
  const chosen = new Map<string, Candidate[]>()
  for (const candidate of candidates) {
    const [best] = candidate.causes.toSorted((a, b) => (shared.get(b.key) ?? 0) - (shared.get(a.key) ?? 0))
    const isShared = best !== undefined && (shared.get(best.key) ?? 0) > 1
    const key = isShared ? best.key : `${candidate.state}:check:${candidate.entry.row.id}`
    getOrInsert(chosen, key, () => []).push(candidate)
  }
  return [...chosen]
    .map(([key, members]) => groupOf(key, members))
    .sort((a, b) => compareTexts(b.since, a.since) || b.total - a.total || compareTexts(a.key, b.key))
}

const compareTexts = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1)

interface Candidate {
  entry: OverviewEntry
  state: AttentionState
  locations: readonly string[]
  causes: readonly Cause[]
}

function groupOf(key: string, members: readonly Candidate[]): AttentionGroup {
  const inOrder = members.toSorted((a, b) => (a.entry.state.since < b.entry.state.since ? 1 : -1))
  const entries = inOrder.map(({ entry }) => entry)
  const state = members[0]?.state ?? 'unknown'
  const cause = members.length === 1 ? undefined : members[0]?.causes.find((one) => one.key === key)
  return {
    key,
    state,
    reason: commonest(entries.map((entry) => entry.state.reason)),
    groupedBy: cause?.kind ?? null,
    label: cause === undefined ? (entries[0]?.row.name ?? '') : labelOf(cause, state, entries),
    since: entries.at(-1)?.state.since ?? '',
    locations: [...new Set(members.flatMap(({ locations }) => locations))].sort(),
    total: entries.length,
    entries,
  }
}

interface Cause {
  key: string
  kind: GroupedBy
  value: string
}

function causesOf(entry: OverviewEntry, state: AttentionState, locations: readonly string[]): Cause[] {
  const cause = (kind: GroupedBy, value: string) => ({ key: `${state}:${kind}:${value}`, kind, value })
  if (state === 'unknown') {
    const { cause: why } = entry
    return why === null ? [] : [cause('location', `${why.kind}:${why.locationKey}`)]
  }
  const causes: Cause[] = []
  if (entry.host !== null) causes.push(cause('host', entry.host))
  const message = entry.row.failureMessage
  if (state === 'failing' && message !== null) causes.push(cause('error', clean(message)))
  const [only, ...others] = locations
  if (only !== undefined && others.length === 0 && runsElsewhere(entry)) causes.push(cause('location', only))
  return causes
}

function runsElsewhere({ row }: OverviewEntry): boolean {
  return row.locations.length + row.privateLocations.length > 1
}

/** Where the last run left the check in its state, or where it doesn't run. */
function locationsOf(entry: OverviewEntry, state: AttentionState, runs: readonly LastRun[]): string[] {
  if (state === 'unknown') return entry.cause?.locationIds ?? entry.state.staleLocations
  const last = new Map(runs.map(({ location, state }) => [location, state]))
  const failing = [...last].filter(([, verdict]) => verdict === state).map(([location]) => location)
  const known = failing.length > 0 ? failing : [entry.row.lastRunLocation ?? '']
  return known.filter((location) => location !== '')
}

const verbs: Record<AttentionState, string> = {
  failing: 'fail',
  degraded: 'are degraded',
  unknown: "aren't running",
}

/** 12 checks of shop.example.com fail: connection refused */
function labelOf({ kind, value }: Cause, state: AttentionState, entries: readonly OverviewEntry[]): string {
  const where = { host: ` of ${value}`, error: '', location: '' }[kind]
  const inLocation = kind === 'location' && state !== 'unknown' ? ` in ${locationName(value)}` : ''
  const why = whyOf(entries)
  return `${entries.length} checks${where} ${verbs[state]}${inLocation}${why === null ? '' : `: ${why}`}`
}

/** What all of them have in common; null: nothing. */
function whyOf(entries: readonly OverviewEntry[]): string | null {
  const [first] = entries
  if (first === undefined) return null
  if (first.cause?.kind === 'server_outage') return 'no server was running'
  if (first.cause !== null) {
    const locations = [...new Set(entries.flatMap(({ cause }) => cause?.locations ?? []))].sort()
    return causeClause({ ...first.cause, locations: shorten(locations) }, entries.length)
  }
  const messages = entries.map(({ row }) => row.failureMessage)
  if (first.row.failureMessage === null || messages.includes(null)) return null
  const common = new Set(messages.map((message) => clean(message ?? '')))
  if (common.size > 1) return null
  const isSame = new Set(messages).size === 1
  return asClause(isSame ? first.row.failureMessage : ([...common][0] ?? ''))
}

const maxNamed = 5

function shorten(names: readonly string[]): string[] {
  if (names.length <= maxNamed) return [...names]
  return [...names.slice(0, maxNamed), `${names.length - maxNamed} more`]
}

/** Cleaning takes 50 µs, and failures of many checks have few messages. */
const cleaned = new LRUCache<string, string>({ max: 10_000 })

function clean(message: string): string {
  const known = cleaned.get(message) ?? cleanErrorMessage(message)
  cleaned.set(message, known)
  return known
}

const maxClauseChars = 200

function asClause(message: string): string {
  const [line = ''] = message.trim().split(/[\r\n]/, 1)
  const text = line.slice(0, maxClauseChars).replace(/[.!]$/, '')
  // An abbreviation such as DNS stays as it is.
  return /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}

function commonest(texts: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].reduce((best, one) => (one[1] > best[1] ? one : best), ['', 0] as [string, number])[0]
}
