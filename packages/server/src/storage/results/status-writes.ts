// The statuses of checks. A status is locked while it's decided, and only newer runs change it.
import type { RanAt } from '@vedette/contracts'
import { arrayText } from '../core/array-text.ts'
import { columnKinds, constant, currentTime, insertMany } from '../core/insert-many.ts'
import type { Client } from '../core/transaction.ts'

export interface StatusRow {
  accountId: string
  checkId: string
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  longestRun: number | null
  shortestRun: number | null
  lastRunLocation: string | null
  ranAt: RanAt | null
  lastCheckRunId: string | null
  sslDaysRemaining: number | null
  decidedAt: number
  knownAt: number | null
  stateSince: number | null
  failureMessage: string | null
}

/**
 * Locks in the order of ids, so that two batches don't deadlock. A check without a status gets an undecided row to lock,
 * which isn't returned: its first runs are decided one after the other, too.
 */
export async function lockStatuses(
  client: Client,
  checks: readonly { accountId: string; checkId: string }[],
  now: number,
): Promise<Map<string, StatusRow>> {
  const ids = checks.map(({ checkId }) => checkId)
  const known = await lockRows(client, ids)
  const first = checks.filter(({ checkId }) => !known.has(checkId))
  if (first.length > 0) {
    await insertUndecided(client, first, now)
    const firstIds = first.map(({ checkId }) => checkId)
    for (const [checkId, row] of await lockRows(client, firstIds)) known.set(checkId, row)
  }
  return new Map([...known].filter(([, { decidedAt }]) => decidedAt > 0))
}

const undecided = columnKinds<{ accountId: string; checkId: string }>()

const insertUndecided = insertMany(
  'insert_undecided_statuses',
  'check_statuses',
  {
    account_id: undecided.uuid((row) => row.accountId),
    check_id: undecided.uuid((row) => row.checkId),
    has_failures: constant('false'),
    has_errors: constant('false'),
    is_degraded: constant('false'),
    decided_at: constant('to_timestamp(0)'),
    created_at: currentTime,
  },
  { source: 'order by r.check_id', onConflict: 'do nothing' },
)

async function lockRows(client: Client, checkIds: readonly string[]): Promise<Map<string, StatusRow>> {
  const { rows } = await client.query<StatusRow & { decidedAt: string }>({
    name: 'lock_statuses',
    text: `
      select account_id as "accountId", check_id as "checkId", has_failures as "hasFailures", has_errors as "hasErrors",
        is_degraded as "isDegraded", longest_run as "longestRun", shortest_run as "shortestRun",
        last_run_location as "lastRunLocation", ran_at as "ranAt", last_check_run_id as "lastCheckRunId",
        ssl_days_remaining as "sslDaysRemaining", decided_at as "decidedAt", failure_message as "failureMessage",
        (extract(epoch from known_at) * 1000)::float8 as "knownAt",
        (extract(epoch from state_since) * 1000)::float8 as "stateSince"
      from check_statuses where check_id = any($1::uuid[]) order by check_id for no key update`,
    values: [arrayText(checkIds)],
  })
  return new Map(rows.map((row) => [row.checkId, { ...row, decidedAt: Date.parse(row.decidedAt) }]))
}

const status = columnKinds<StatusRow>()

const upsertRows = insertMany(
  'upsert_statuses',
  'check_statuses',
  {
    account_id: status.uuid((row) => row.accountId),
    check_id: status.uuid((row) => row.checkId),
    ...status.flags({
      has_failures: (row) => row.hasFailures,
      has_errors: (row) => row.hasErrors,
      is_degraded: (row) => row.isDegraded,
    }),
    longest_run: status.real((row) => row.longestRun),
    shortest_run: status.real((row) => row.shortestRun),
    last_run_location: status.text((row) => row.lastRunLocation),
    last_check_run_id: status.text((row) => row.lastCheckRunId),
    ssl_days_remaining: status.integer((row) => row.sslDaysRemaining),
    decided_at: status.instant((row) => row.decidedAt),
    ran_at: status.json((row) => row.ranAt),
    known_at: status.instant((row) => row.knownAt),
    state_since: status.instant((row) => row.stateSince),
    failure_message: status.text((row) => row.failureMessage),
    created_at: currentTime,
  },
  {
    as: 's',
    onConflict: `(check_id) do update set has_failures = excluded.has_failures, has_errors = excluded.has_errors,
      is_degraded = excluded.is_degraded, longest_run = excluded.longest_run, shortest_run = excluded.shortest_run,
      last_run_location = excluded.last_run_location, ran_at = excluded.ran_at,
      last_check_run_id = excluded.last_check_run_id, ssl_days_remaining = excluded.ssl_days_remaining,
      decided_at = excluded.decided_at, known_at = excluded.known_at, state_since = excluded.state_since,
      failure_message = excluded.failure_message,
      updated_at = case when s.decided_at > to_timestamp(0) then excluded.created_at end
      where s.decided_at < excluded.decided_at`,
  },
)

export async function upsertStatuses(client: Client, rows: readonly StatusRow[], now: number): Promise<void> {
  await upsertRows(
    client,
    rows.toSorted((a, b) => (a.checkId < b.checkId ? -1 : 1)),
    now,
  )
}
