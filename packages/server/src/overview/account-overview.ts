// The checks of an account with their states and figures, in memory: read once, then kept up to date by what has changed since
// the last reading. Every server derives the same from the store, and any number of clients share it.
import { dayMs, hourMs, overviewRuns } from '@vedette/contracts'
import { LRUCache } from 'lru-cache'
import { floorTo } from '../analytics/range.ts'
import type { Clock } from '../core/clock.ts'
import { changesAt, checkState } from '../states/check-state.ts'
import { longestLookBackMs, pausesAt } from '../states/pauses.ts'
import { factsOf, readCheckStates } from '../states/read-check-states.ts'
import type { StateFacts } from '../states/state-facts.ts'
import { type AccountWindows, readPausingWindows } from '../storage/checks/maintenance.ts'
import type { Pool } from '../storage/core/db.ts'
import {
  type LastRun,
  listChangedSummaries,
  listCheckIds,
  listLastRuns,
  listOverviewRows,
  listRecentRuns,
  type OverviewRow,
  readAccountChanges,
} from '../storage/results/overview-reads.ts'
import { type CoverageGaps, sumCoverageGaps } from '../storage/results/recent-events.ts'
import { figuresOf, hostOf, noFigures, type OverviewEntry, searchTextOf } from './overview-entry.ts'

/** Unknown states are read again after a second, or after 20 times the time that it took: at most 5 % of a core. */
const confirmation = { leastMs: 1_000, factor: 20 }
/** Recent runs are counted again after two seconds, or after 200 times the time that it took: at most 0.5 % of a core. */
const recount = { leastMs: 2_000, factor: 200 }
/** They change once an hour. */
const summariesEveryMs = 5_000
/** Until then, the first runs of a check are rolled up. */
const firstRollUpMs = 2 * hourMs
const maxRemovals = 1_000
/** If more checks have changed, reading all of them takes less time. */
const maxReadById = 1_000
/** Checks whose last runs are kept. */
const maxRunLists = 2_000

const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

export class AccountOverview {
  readonly accountId: string
  /** Of the last reading: the time of the store in milliseconds, and always greater than the previous one. */
  revision = 0
  /** When the last reading began. */
  now = 0
  readonly #pool: Pool
  readonly #clock: Clock
  readonly #entries = new Map<string, OverviewEntry>()
  readonly #runs = new LRUCache<string, { version: string; runs: LastRun[] }>({ max: maxRunLists })
  #since: string | null = null
  #summariesSince: string | null = null
  #summariesAt = 0
  #windows: AccountWindows = { all: [], windowsOf: () => [] }
  #windowsKey = ''
  #pausesOf = pausesAt(0)
  #recountAt = 0
  /** The revisions in which checks were deleted. */
  #removals: number[] = []
  #gaps: (CoverageGaps & { until: number }) | null = null
  #inOrder: OverviewEntry[] | null = null
  /** When the last complete reading began. */
  #readAt: number | null = null
  #reading: Promise<void> | null = null
  #nextReading: Promise<void> | null = null

  constructor(accountId: string, { pool, clock }: { pool: Pool; clock: Clock }) {
    this.accountId = accountId
    this.#pool = pool
    this.#clock = clock
  }

  get size(): number {
    return this.#entries.size
  }

  get(checkId: string): OverviewEntry | undefined {
    return this.#entries.get(checkId)
  }

  /** In the order of their names. */
  get entries(): readonly OverviewEntry[] {
    if (this.#inOrder === null) {
      this.#inOrder = [...this.#entries.values()].sort(
        (a, b) => byName.compare(a.row.name, b.row.name) || (a.row.id < b.row.id ? -1 : 1),
      )
    }
    return this.#inOrder
  }

  isYoungerThan(ms: number): boolean {
    return this.#readAt !== null && this.#clock.now() - this.#readAt < ms
  }

  /** Waits for a reading that begins after this call. Calls during a reading share the next one. */
  refresh(): Promise<void> {
    if (this.#reading === null) {
      this.#reading = this.#read().finally(() => {
        this.#reading = null
      })
      return this.#reading
    }
    this.#nextReading ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#nextReading = null
        return this.refresh()
      })
    return this.#nextReading
  }

  /** What has changed after a revision, also of another server; `total` includes deleted checks. */
  changedSince(revision: number): { entries: readonly OverviewEntry[]; total: number } {
    const changed = revision >= this.revision ? [] : this.entries.filter((entry) => entry.revision > revision)
    const removed = this.#removals.filter((at) => at > revision)
    return { entries: changed, total: changed.length + removed.length }
  }

  /** The last runs of these checks, the oldest first. */
  async readRuns(entries: readonly OverviewEntry[]): Promise<(entry: OverviewEntry) => readonly LastRun[]> {
    const missing = entries.filter(({ row }) => this.#runs.get(row.id)?.version !== row.version)
    const versions = missing.map(({ row }) => [row.id, row.version] as const)
    const ids = versions.map(([id]) => id)
    const read = await listLastRuns(this.#pool, this.accountId, ids, overviewRuns)
    for (const [id, version] of versions) this.#runs.set(id, { version, runs: read.get(id) ?? [] })
    return ({ row }) => read.get(row.id) ?? this.#runs.get(row.id)?.runs ?? []
  }

  /** Slots without a run, of 24 full hours and since then. At most as old as the count of recent runs. */
  async readGaps(): Promise<CoverageGaps> {
    const { now } = this
    if (this.#gaps === null || now >= this.#gaps.until) {
      const startedAt = performance.now()
      const from = floorTo(now, hourMs) - dayMs
      const gaps = await sumCoverageGaps(this.#pool, this.accountId, from)
      this.#gaps = { ...gaps, until: now + waitAfter(startedAt, recount) }
    }
    return this.#gaps
  }

  async #read(): Promise<void> {
    const pool = this.#pool
    const { accountId } = this
    const now = this.#clock.now()
    const changes = await readAccountChanges(pool, { accountId, since: this.#since })
    if (changes === null) return this.#entries.clear()
    const { snapshot, checkCount, checkIds } = changes
    // After a failover, the store may be older than what was read before.
    const isReset = this.#since === null || changes.isChanged || BigInt(snapshot) < BigInt(this.#since)
    const isAll = isReset || checkIds === null || checkIds.length > maxReadById
    const isSummaryDue = isReset || now >= this.#summariesAt
    // One after the other: while people watch, every second or two, one connection is enough.
    const rows = await listOverviewRows(pool, { accountId, checkIds: isAll ? null : checkIds }, now)
    const summaries = isSummaryDue
      ? await listChangedSummaries(pool, { accountId, since: isReset ? null : this.#summariesSince })
      : []
    const windows = await readPausingWindows(pool, accountId, now - longestLookBackMs, now + 1)
    this.revision = Math.max(changes.storeTime, this.revision + 1)
    this.now = now
    this.#useWindows(windows)
    for (const row of rows) this.#put(row)
    if (this.#entries.size !== checkCount) await this.#removeDeleted()
    for (const summary of summaries) {
      const entry = this.#entries.get(summary.checkId)
      if (entry !== undefined) Object.assign(entry, { summary, figures: figuresOf(summary, entry.recent) })
    }
    await this.#derive(now)
    // Earlier summaries include runs that were counted as recent until now.
    if (now >= this.#recountAt || summaries.length > 0) await this.#countRecentRuns(now)
    if (isSummaryDue) {
      this.#summariesSince = snapshot
      this.#summariesAt = now + summariesEveryMs
    }
    this.#since = snapshot
    this.#readAt = now
  }

  #put(row: OverviewRow): void {
    const known = this.#entries.get(row.id)
    if (known?.row.version === row.version) return
    if (known?.row.name !== row.name) this.#inOrder = null
    const host = known?.row.target === row.target ? known.host : hostOf(row.target)
    const facts = { ...factsOf(row), pause: null, pausedUntil: null }
    const entry: OverviewEntry = {
      ...(known ?? { summary: null, recent: null, figures: noFigures }),
      ...{ row, facts, host, text: searchTextOf(row, host), cause: null },
      state: known?.state ?? checkState(facts, this.now),
      validUntil: 0,
      revision: this.revision,
    }
    if (known === undefined) this.#entries.set(row.id, entry)
    else Object.assign(known, entry)
  }

  async #removeDeleted(): Promise<void> {
    const ids = await listCheckIds(this.#pool, this.accountId)
    this.#removals = this.#removals.slice(-maxRemovals)
    for (const id of this.#entries.keys()) {
      if (ids.has(id)) continue
      this.#entries.delete(id)
      this.#removals.push(this.revision)
      this.#inOrder = null
    }
  }

  #useWindows(windows: AccountWindows): void {
    const pausesOf = pausesAt(this.now)
    // A change of a window, or the start or end of one, may concern every check.
    const key = JSON.stringify(windows.all.map((window) => [window, pausesOf([window])]))
    this.#windows = windows
    this.#pausesOf = pausesOf
    if (key === this.#windowsKey) return
    this.#windowsKey = key
    for (const entry of this.#entries.values()) entry.validUntil = 0
  }

  /** Derives the states that may have changed. Those that would be unknown are read as `/v1/check-statuses` reads them. */
  async #derive(now: number): Promise<void> {
    const doubtful: string[] = []
    for (const entry of this.#entries.values()) {
      if (entry.validUntil > now) continue
      const facts = {
        ...withoutRuns(factsOf(entry.row)),
        ...this.#pausesOf(this.#windows.windowsOf(entry.row.tags)),
      }
      const state = checkState(facts, now)
      if (facts.heartbeat === null && (state.state === 'unknown' || state.staleLocations.length > 0)) {
        doubtful.push(entry.row.id)
        continue
      }
      this.#setState(entry, { facts, state, cause: null, validUntil: changesAt(facts, now) })
    }
    if (doubtful.length === 0) return
    const startedAt = performance.now()
    const which = { accountId: this.accountId, checkIds: doubtful }
    const confirmed = await readCheckStates(this.#pool, which, now)
    const validUntil = now + waitAfter(startedAt, confirmation)
    for (const { row, facts, state, cause } of confirmed) {
      const entry = this.#entries.get(row.id)
      if (entry !== undefined) this.#setState(entry, { facts, state, cause, validUntil })
    }
  }

  #setState(
    entry: OverviewEntry,
    derived: Pick<OverviewEntry, 'facts' | 'state' | 'cause' | 'validUntil'>,
  ): void {
    if (entry.state.state !== derived.state.state) entry.revision = this.revision
    Object.assign(entry, derived)
  }

  async #countRecentRuns(now: number): Promise<void> {
    const ends = [...this.#entries.values()].map(({ summary, facts }) => {
      if (summary !== null && summary.runs7d > 0) return summary.until
      return (facts.lastRunAt ?? 0) > now - firstRollUpMs ? now - firstRollUpMs : now
    })
    const startedAt = performance.now()
    const recent = await listRecentRuns(
      this.#pool,
      this.accountId,
      Math.max(now - dayMs - hourMs, Math.min(now, ...ends)),
    )
    this.#recountAt = now + waitAfter(startedAt, recount)
    const byCheck = new Map(recent.map((runs) => [runs.checkId, runs]))
    for (const [id, entry] of this.#entries) {
      const runs = byCheck.get(id) ?? null
      if (runs === null && entry.recent === null) continue
      Object.assign(entry, { recent: runs, figures: figuresOf(entry.summary, runs) })
    }
  }
}

function waitAfter(startedAt: number, { leastMs, factor }: { leastMs: number; factor: number }): number {
  return Math.max(leastMs, (performance.now() - startedAt) * factor)
}

/** A run in progress may have been lost since its row was read, so states are derived as if there were none. */
function withoutRuns<F extends Pick<StateFacts, 'runningSince' | 'lanes'>>(facts: F): F {
  return { ...facts, runningSince: null, lanes: facts.lanes.map((lane) => ({ ...lane, runningIn: null })) }
}
