// The row of a check that says how it is. Locked while it is decided: history moves forward only.
import type { RanAt } from '@vedette/contracts'
import { arrayText } from '../core/array-text.ts'
import { columnsOf } from '../core/columns-of.ts'
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
 * In the order of the ids, whoever asks: two batches never wait for each other in a circle. A check that has none yet gets
 * a row to be locked, of which nothing is told: of its very first runs one is decided first, too.
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

async function insertUndecided(
  client: Client,
  checks: readonly { accountId: string; checkId: string }[],
  now: number,
): Promise<void> {
  const { plain } = columnsOf(checks)
  await client.query({
    name: 'insert_undecided_statuses',
    text: `
      insert into check_statuses (account_id, check_id, has_failures, has_errors, is_degraded, decided_at, created_at)
      select account_id, check_id, false, false, false, to_timestamp(0), to_timestamp($3 / 1000.0)
      from unnest($1::uuid[], $2::uuid[]) as r (account_id, check_id) order by check_id on conflict do nothing`,
    values: [plain(({ accountId }) => accountId), plain(({ checkId }) => checkId), now],
  })
}

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

const upsertText = `
  insert into check_statuses as s (account_id, check_id, has_failures, has_errors, is_degraded, longest_run, shortest_run,
    last_run_location, last_check_run_id, ssl_days_remaining, decided_at, ran_at, known_at, state_since,
    failure_message, created_at)
  select account_id, check_id, (flags & 1) > 0, (flags & 2) > 0, (flags & 4) > 0, longest_run, shortest_run,
    last_run_location, last_check_run_id, ssl_days_remaining, to_timestamp(decided_at / 1000.0), ran_at::jsonb,
    to_timestamp(known_at / 1000.0), to_timestamp(state_since / 1000.0), failure_message, to_timestamp($11 / 1000.0)
  from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::real[], $5::real[], $6::text[], $7::text[], $8::integer[],
    $9::float8[], $10::text[], $12::float8[], $13::float8[], $14::text[]) as
    r (account_id, check_id, flags, longest_run, shortest_run, last_run_location, last_check_run_id, ssl_days_remaining,
    decided_at, ran_at, known_at, state_since, failure_message)
  on conflict (check_id) do update set has_failures = excluded.has_failures, has_errors = excluded.has_errors,
    is_degraded = excluded.is_degraded, longest_run = excluded.longest_run, shortest_run = excluded.shortest_run,
    last_run_location = excluded.last_run_location, ran_at = excluded.ran_at, last_check_run_id = excluded.last_check_run_id,
    ssl_days_remaining = excluded.ssl_days_remaining, decided_at = excluded.decided_at,
    known_at = excluded.known_at, state_since = excluded.state_since, failure_message = excluded.failure_message,
    updated_at = case when s.decided_at > to_timestamp(0) then to_timestamp($11 / 1000.0) end
  where s.decided_at < excluded.decided_at`

export async function upsertStatuses(client: Client, rows: readonly StatusRow[], now: number): Promise<void> {
  if (rows.length === 0) return
  const sorted = rows.toSorted((a, b) => (a.checkId < b.checkId ? -1 : 1))
  const { plain, text } = columnsOf(sorted)
  const values = [
    plain((row) => row.accountId),
    plain((row) => row.checkId),
    plain((row) => (row.hasFailures ? 1 : 0) + (row.hasErrors ? 2 : 0) + (row.isDegraded ? 4 : 0)),
    plain((row) => row.longestRun),
    plain((row) => row.shortestRun),
    text((row) => row.lastRunLocation),
    text((row) => row.lastCheckRunId),
    plain((row) => row.sslDaysRemaining),
    plain((row) => row.decidedAt),
    text(({ ranAt }) => ranAt && JSON.stringify(ranAt)),
    now,
    plain((row) => row.knownAt),
    plain((row) => row.stateSince),
    text((row) => row.failureMessage),
  ]
  await client.query({ name: 'upsert_statuses', text: upsertText, values })
}
