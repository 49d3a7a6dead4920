// Coverage of checks per location and hour: skipped and missed slots are added as they happen; executed ones and their lag
// are written when the hour is rolled up, and counted from the results until then.
import { metrics } from '../../prometheus/metrics.ts'
import { afterCommit } from '../core/after-commit.ts'
import { columnKinds, insertMany } from '../core/insert-many.ts'
import { ensureMonths } from '../core/partitions.ts'
import type { Client } from '../core/transaction.ts'

/** Skipped: a run was in progress, a maintenance window was open, or a quota was used up. Missed: there was no agent or no server. */
type SkipReason = 'in_progress' | 'maintenance' | 'quota'
type MissReason = 'agent' | 'server'

export interface CoverageEntry {
  accountId: string
  checkId: string
  /** Any instant of the hour, in milliseconds. */
  hourMs: number
  location: string
  skipped?: number
  missed?: number
  reason: SkipReason | MissReason
}

/** The key of a run that was claimed and given up; a late result has the same key. */
export interface MissedRunKey {
  checkId: string
  scheduledAt: number
  runId: string
}

export interface MissedRun extends MissedRunKey {
  accountId: string
  location: string
  reason: MissReason
}

const hour = 3_600_000

const coverage = columnKinds<CoverageRow>()

const addCoverageRows = insertMany(
  'add_coverage',
  'coverage',
  {
    account_id: coverage.uuid((row) => row.accountId),
    check_id: coverage.uuid((row) => row.checkId),
    hour: coverage.instant((row) => row.hourMs),
    location: coverage.text((row) => row.location),
    skipped: coverage.integer((row) => row.skipped),
    missed: coverage.integer((row) => row.missed),
    reasons: coverage.json((row) => row.reasons),
  },
  {
    onConflict: `(check_id, hour, location) do update set
      skipped = greatest(0, coverage.skipped + excluded.skipped),
      missed = greatest(0, coverage.missed + excluded.missed),
      reasons = (
        select coalesce(jsonb_object_agg(reason, total), '{}')
        from (
          select key as reason, sum(value::int) as total
          from (
            select * from jsonb_each_text(coverage.reasons) union all select * from jsonb_each_text(excluded.reasons)
          ) as counts
          group by key having sum(value::int) > 0
        ) as totals
      )`,
  },
)

/** Counts may be negative, to undo earlier ones. */
export async function addCoverage(client: Client, entries: CoverageEntry[]): Promise<void> {
  if (entries.length === 0) return
  afterCommit(client, () => {
    for (const { skipped = 0, missed = 0, reason } of entries) {
      if (skipped > 0) metrics.runsSkipped.add(skipped, { reason })
      if (missed > 0) metrics.runsMissed.add(missed, { reason })
    }
  })
  const rows = summed(entries)
  await ensureMonths(
    client,
    rows.map((row) => row.hourMs),
  )
  await addCoverageRows(client, rows)
}

const missedRun = columnKinds<MissedRun>()

const insertMissedRows = insertMany(
  'insert_missed_runs',
  'missed_runs',
  {
    account_id: missedRun.uuid((run) => run.accountId),
    check_id: missedRun.uuid((run) => run.checkId),
    scheduled_at: missedRun.instant((run) => run.scheduledAt),
    run_id: missedRun.uuid((run) => run.runId),
    location: missedRun.text((run) => run.location),
    reason: missedRun.word((run) => run.reason),
  },
  {
    source: 'order by r.check_id, r.scheduled_at, r.run_id',
    onConflict: 'do nothing',
    returning: 'account_id, check_id, scheduled_at, location, reason',
  },
)

/** Counts each run once; deleted checks have no coverage. */
export async function insertMissedRuns(client: Client, runs: MissedRun[]): Promise<void> {
  if (runs.length === 0) return
  const existing = await lockExistingChecks(client, new Set(runs.map(({ checkId }) => checkId)))
  const rows = await insertMissedRows<MissedRunRow>(
    client,
    runs.filter(({ checkId }) => existing.has(checkId)),
  )
  await addCoverage(client, rows.map(missed(1)))
}

/** The lock that a foreign key would take: a transaction that deletes a check waits, and then deletes these rows too. */
async function lockExistingChecks(client: Client, checkIds: Iterable<string>): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>({
    name: 'lock_existing_checks',
    text: 'select id from checks where id = any($1::uuid[]) order by id for key share',
    values: [[...checkIds]],
  })
  return new Set(rows.map(({ id }) => id))
}

/** A result arrived late: deletes the missed runs and undoes their counts. */
export async function replaceMissed(client: Client, runs: MissedRunKey[]): Promise<void> {
  if (runs.length === 0) return
  const { rows } = await client.query<MissedRunRow>({
    name: 'replace_missed',
    text: `
      delete from missed_runs m
      using unnest($1::uuid[], $2::timestamptz[], $3::uuid[]) as late (check_id, scheduled_at, run_id)
      where m.check_id = late.check_id and m.scheduled_at = late.scheduled_at and m.run_id = late.run_id
      returning m.account_id, m.check_id, m.scheduled_at, m.location, m.reason`,
    values: keyColumns(runs),
  })
  await addCoverage(client, rows.map(missed(-1)))
}

interface MissedRunRow {
  account_id: string
  check_id: string
  scheduled_at: string
  location: string
  reason: MissReason
}

function keyColumns(runs: MissedRunKey[]): unknown[] {
  return [
    runs.map((run) => run.checkId),
    runs.map((run) => new Date(run.scheduledAt)),
    runs.map((run) => run.runId),
  ]
}

function missed(count: 1 | -1) {
  return (row: MissedRunRow): CoverageEntry => ({
    accountId: row.account_id,
    checkId: row.check_id,
    hourMs: Date.parse(row.scheduled_at),
    location: row.location,
    missed: count,
    reason: row.reason,
  })
}

/** One row per key, in the order of keys, so that transactions don't deadlock. */
function summed(entries: CoverageEntry[]): CoverageRow[] {
  const rows = new Map<string, CoverageRow>()
  for (const entry of entries) {
    const hourMs = Math.floor(entry.hourMs / hour) * hour
    const key = `${entry.checkId} ${String(hourMs).padStart(16, '0')} ${entry.location}`
    const row = rows.get(key) ?? emptyRow(entry, hourMs)
    rows.set(key, row)
    const [skipped, missed] = [entry.skipped ?? 0, entry.missed ?? 0]
    row.skipped += skipped
    row.missed += missed
    row.reasons[entry.reason] = (row.reasons[entry.reason] ?? 0) + skipped + missed
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

interface CoverageRow {
  accountId: string
  checkId: string
  hourMs: number
  location: string
  skipped: number
  missed: number
  reasons: Partial<Record<CoverageEntry['reason'], number>>
}

function emptyRow({ accountId, checkId, location }: CoverageEntry, hourMs: number): CoverageRow {
  return { accountId, checkId, hourMs, location, skipped: 0, missed: 0, reasons: {} }
}
