// Quotas of accounts, which operators set, and what the accounts have used of them.
import type { Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

export interface Quotas {
  /** Each null: no limit. */
  runsPerMinute: number | null
  codeSecondsPerHour: number | null
  artifactBytes: number | null
}

export const noQuotas: Quotas = { runsPerMinute: null, codeSecondsPerHour: null, artifactBytes: null }

const columns = `runs_per_minute as "runsPerMinute", code_seconds_per_hour as "codeSecondsPerHour",
  artifact_bytes::float8 as "artifactBytes"`

/** Those of an account, or else the default of all accounts. */
export async function readQuotas(
  client: Client,
  accountIds: readonly string[],
): Promise<Map<string, Quotas>> {
  const { rows } = await client.query<Quotas & { accountId: string | null }>({
    name: 'read_quotas',
    text: `select account_id as "accountId", ${columns} from quotas where account_id = any($1::uuid[]) or account_id is null`,
    values: [accountIds],
  })
  const byAccount = new Map(rows.map(({ accountId, ...quotas }) => [accountId, quotas]))
  return new Map(accountIds.map((id) => [id, byAccount.get(id) ?? byAccount.get(null) ?? noQuotas]))
}

export interface StoredQuotas extends Quotas {
  /** Both null: the default. */
  accountId: string | null
  accountName: string | null
}

/** Of all accounts: for the operator. */
export async function listQuotas(pool: Pool): Promise<StoredQuotas[]> {
  const { rows } = await pool.query<StoredQuotas>(
    `select q.account_id as "accountId", a.name as "accountName", ${columns}
     from quotas q left join accounts a on a.id = q.account_id order by q.account_id nulls first`,
  )
  return rows
}

/** Replaces all three. `accountId` null: the default. */
export async function putQuotas(pool: Pool, accountId: string | null, quotas: Quotas): Promise<void> {
  await pool.query(
    `insert into quotas (account_id, runs_per_minute, code_seconds_per_hour, artifact_bytes) values ($1, $2, $3, $4)
     on conflict on constraint quotas_of_account do update set runs_per_minute = excluded.runs_per_minute,
       code_seconds_per_hour = excluded.code_seconds_per_hour, artifact_bytes = excluded.artifact_bytes, updated_at = now()`,
    [accountId, quotas.runsPerMinute, quotas.codeSecondsPerHour, quotas.artifactBytes],
  )
}

export async function deleteQuotas(pool: Pool, accountId: string | null): Promise<boolean> {
  const { rowCount } = await pool.query('delete from quotas where account_id is not distinct from $1', [
    accountId,
  ])
  return rowCount === 1
}

/**
 * Locks the counters of these accounts until the transaction ends, and returns their runs in this minute. With `skipLocked`, counters
 * that another transaction has locked are left out: a claim has locked lanes, and must not wait.
 */
export async function lockRunCounts(
  client: Client,
  accountIds: readonly string[],
  minuteMs: number,
  { skipLocked }: { skipLocked: boolean },
): Promise<Map<string, number>> {
  await client.query(
    `insert into quota_usage (account_id, minute_at, runs)
     select a.id, $2, 0 from accounts a where a.id = any($1::uuid[]) order by a.id on conflict do nothing`,
    [accountIds, new Date(minuteMs)],
  )
  const { rows } = await client.query<{ accountId: string; runs: number }>(
    `select account_id as "accountId", case when minute_at = $2 then runs else 0 end as runs
     from quota_usage where account_id = any($1::uuid[]) order by account_id for update ${skipLocked ? 'skip locked' : ''}`,
    [accountIds, new Date(minuteMs)],
  )
  return new Map(rows.map(({ accountId, runs }) => [accountId, runs]))
}

/** Of counters that are locked. */
export async function setRunCounts(
  client: Client,
  counts: ReadonlyMap<string, number>,
  minuteMs: number,
): Promise<void> {
  await client.query(
    `update quota_usage u set minute_at = $3, runs = r.runs
     from unnest($1::uuid[], $2::int[]) r (account_id, runs) where u.account_id = r.account_id`,
    [[...counts.keys()], [...counts.values()], new Date(minuteMs)],
  )
}

/** The duration of code runs since then, attempts included. Runs of tests count too. */
export async function sumCodeSeconds(
  client: Client,
  accountIds: readonly string[],
  codeTypes: readonly string[],
  sinceMs: number,
): Promise<Map<string, number>> {
  const { rows } = await client.query<{ accountId: string; seconds: number }>(
    `select account_id as "accountId", sum(extract(epoch from stopped_at - started_at))::float8 as seconds
     from (
       select r.account_id, r.started_at, r.stopped_at from checks c
       join results r on r.check_id = c.id and r.scheduled_at >= $3
       where c.account_id = any($1::uuid[]) and c.check_type = any($2::text[])
       union all
       select r.account_id, r.started_at, r.stopped_at from test_sessions t
       join test_session_results r on r.test_session_id = t.id and r.account_id = t.account_id
       where t.account_id = any($1::uuid[]) and t.started_at >= $3 and r.check_type = any($2::text[])
         and r.stopped_at is not null
     ) runs group by account_id`,
    [accountIds, codeTypes, new Date(sinceMs)],
  )
  return new Map(rows.map(({ accountId, seconds }) => [accountId, seconds]))
}

/** Runs in the minute, without a lock. */
export async function countRunsOfMinute(pool: Pool, accountId: string, minuteMs: number): Promise<number> {
  const { rows } = await pool.query<{ runs: number }>(
    'select runs from quota_usage where account_id = $1 and minute_at = $2',
    [accountId, new Date(minuteMs)],
  )
  return rows[0]?.runs ?? 0
}

/** Files of runs and code bundles; each content counts once. */
export async function sumStoredBytes(client: Client, accountId: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    'select coalesce(sum(size_bytes), 0)::float8 as bytes from blobs where account_id = $1 and is_stored',
    [accountId],
  )
  return rows[0]?.bytes ?? 0
}
