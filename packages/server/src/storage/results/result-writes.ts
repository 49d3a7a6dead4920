// Results on their way in: whole batches as arrays, one statement per table.
import type { RanAt } from '@vedette/contracts'
import { arrayText } from '../core/array-text.ts'
import { columnsOf } from '../core/columns-of.ts'
import type { Client } from '../core/transaction.ts'

export interface ResultRow {
  accountId: string
  checkId: string
  /** The slot; on demand, when it was asked for; a heartbeat's event. Milliseconds by the server's clock. */
  scheduledAt: number
  runId: string
  attempt: number
  id: string
  checkType: string
  source: string
  resultType: string
  /** Empty for heartbeats. */
  location: string
  /** Null: no agent ran it, or it isn't known which one. */
  ranAt: RanAt | null
  startedAt: number
  stoppedAt: number
  responseTimeMs: number | null
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  isCancelled: boolean
  overMaxResponseTime: boolean
  statusCode: number | null
  /** In the order of `resultMetrics`. */
  metrics: (number | null)[]
  failureKind: string | null
  failureMessage: string | null
  checkSessionId: string | null
  errorGroupIds: string[]
}

// Instants as milliseconds: building a Date and its text for each would cost more than PostgreSQL's conversion.
const insertText = `
  insert into results (account_id, check_id, scheduled_at, run_id, attempt, id, check_type, source, result_type, location,
    started_at, stopped_at, created_at, response_time, has_failures, has_errors, is_degraded, is_cancelled,
    over_max_response_time, status_code, metrics, failure_kind, failure_message, check_session_id, error_group_ids,
    agent_id, agent_name, is_built_in_agent)
  select account_id, check_id, to_timestamp(scheduled_at / 1000.0), run_id, attempt, id, check_type, source, result_type,
    location, to_timestamp(started_at / 1000.0), to_timestamp(stopped_at / 1000.0), to_timestamp($24 / 1000.0),
    response_time, (flags & 1) > 0, (flags & 2) > 0, (flags & 4) > 0, (flags & 8) > 0, (flags & 16) > 0, status_code,
    metrics::real[], failure_kind, failure_message, check_session_id, error_group_ids::uuid[],
    agent_id, agent_name, is_built_in_agent
  from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::uuid[], $5::smallint[], $6::uuid[], $7::text[], $8::text[],
    $9::text[], $10::text[], $11::float8[], $12::float8[], $13::real[], $14::integer[], $15::smallint[], $16::text[],
    $17::text[], $18::text[], $19::uuid[], $20::text[], $21::uuid[], $22::text[], $23::boolean[]) as
    r (account_id, check_id, scheduled_at, run_id, attempt, id, check_type, source, result_type, location, started_at,
    stopped_at, response_time, flags, status_code, metrics, failure_kind, failure_message, check_session_id,
    error_group_ids, agent_id, agent_name, is_built_in_agent)
  on conflict do nothing
  returning id`

/** Those that were not there yet, by id. */
export async function insertResults(
  client: Client,
  rows: readonly ResultRow[],
  now: number,
): Promise<Set<string>> {
  const { plain, text } = columnsOf(rows)
  const values = [
    plain((row) => row.accountId),
    plain((row) => row.checkId),
    plain((row) => row.scheduledAt),
    plain((row) => row.runId),
    plain((row) => row.attempt),
    plain((row) => row.id),
    plain((row) => row.checkType),
    plain((row) => row.source),
    plain((row) => row.resultType),
    text((row) => row.location),
    plain((row) => row.startedAt),
    plain((row) => row.stoppedAt),
    plain((row) => row.responseTimeMs),
    plain(flagsOf),
    plain((row) => row.statusCode),
    text((row) => arrayText(row.metrics)),
    text((row) => row.failureKind),
    text((row) => row.failureMessage),
    plain((row) => row.checkSessionId),
    text((row) => (row.errorGroupIds.length === 0 ? null : arrayText(row.errorGroupIds))),
    plain((row) => row.ranAt?.agentId ?? null),
    text((row) => row.ranAt?.agentName ?? null),
    plain((row) => row.ranAt?.isBuiltIn ?? null),
    now,
  ]
  const inserted = await client.query<{ id: string }>({ name: 'insert_results', text: insertText, values })
  return new Set(inserted.rows.map(({ id }) => id))
}

function flagsOf(row: ResultRow): number {
  const flags = [row.hasFailures, row.hasErrors, row.isDegraded, row.isCancelled, row.overMaxResponseTime]
  return flags.reduce((sum, isSet, bit) => sum + (isSet ? 1 << bit : 0), 0)
}

const detailText = `
  insert into result_details (account_id, check_id, scheduled_at, run_id, attempt, detail)
  select account_id, check_id, to_timestamp(scheduled_at / 1000.0), run_id, attempt, detail
  from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::uuid[], $5::smallint[], $6::text[]) as
    r (account_id, check_id, scheduled_at, run_id, attempt, detail)
  on conflict do nothing`

export interface DetailRow
  extends Pick<ResultRow, 'accountId' | 'checkId' | 'scheduledAt' | 'runId' | 'attempt'> {
  detail: string
}

export async function insertDetails(client: Client, rows: readonly DetailRow[]): Promise<void> {
  if (rows.length === 0) return
  const { plain, text } = columnsOf(rows)
  const values = [
    plain((row) => row.accountId),
    plain((row) => row.checkId),
    plain((row) => row.scheduledAt),
    plain((row) => row.runId),
    plain((row) => row.attempt),
    text((row) => row.detail),
  ]
  await client.query({ name: 'insert_details', text: detailText, values })
}

export interface CheckHour {
  accountId: string
  checkId: string
  hour: number
}

const pendingText = `
  insert into rollup_pending (account_id, check_id, hour)
  select account_id, check_id, to_timestamp(hour / 1000.0)
  from unnest($1::uuid[], $2::uuid[], $3::float8[]) as r (account_id, check_id, hour)
  on conflict (check_id, hour) do `

/**
 * Hours whose rollups must be made anew. `isClosed`: they may be in the middle of being folded, so the mark is locked
 * and the fold either sees these results or finds the mark again; for open hours, which nobody folds, it costs no write.
 */
export async function markPending(
  client: Client,
  hours: readonly CheckHour[],
  { isClosed }: { isClosed: boolean },
): Promise<void> {
  if (hours.length === 0) return
  const { plain } = columnsOf(hours)
  const values = [
    plain(({ accountId }) => accountId),
    plain(({ checkId }) => checkId),
    plain(({ hour }) => hour),
  ]
  await client.query(
    isClosed
      ? { name: 'mark_closed', text: `${pendingText} update set touched_at = now()`, values }
      : { name: 'mark_open', text: `${pendingText} nothing`, values },
  )
}

/** Of these checks the ones that exist: results of a check that was deleted meanwhile are nobody's. */
export async function existingChecks(client: Client, checkIds: Iterable<string>): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>({
    name: 'existing_checks',
    text: 'select id from checks where id = any($1::uuid[])',
    values: [arrayText([...checkIds])],
  })
  return new Set(rows.map(({ id }) => id))
}

export interface FinalizedRow
  extends Omit<ResultRow, 'id' | 'metrics' | 'failureKind' | 'failureMessage' | 'errorGroupIds'> {
  failureKind: string | null
  failureMessage: string | null
}

const ranAtText = `case when agent_id is not null then
  json_build_object('agentId', agent_id, 'agentName', agent_name, 'isBuiltIn', is_built_in_agent) end`

/** A retry that nobody made: the attempt before it was the last one. */
export async function finalizeAttempt(
  client: Client,
  { checkId, scheduledAt, runId }: { checkId: string; scheduledAt: number; runId: string },
): Promise<FinalizedRow | null> {
  const ofRun = 'check_id = $1 and scheduled_at = to_timestamp($2 / 1000.0) and run_id = $3'
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
  const { rows } = await client.query<FinalizedRow>(
    `update results set result_type = 'FINAL'
     where ${ofRun} and result_type = 'ATTEMPT' and attempt = (select max(attempt) from results where ${ofRun})
     returning account_id as "accountId", check_id as "checkId", ${ms('scheduled_at')} as "scheduledAt",
       run_id as "runId", attempt, check_type as "checkType", source, result_type as "resultType", location,
       ${ms('started_at')} as "startedAt", ${ms('stopped_at')} as "stoppedAt", response_time as "responseTimeMs",
       has_failures as "hasFailures", has_errors as "hasErrors", is_degraded as "isDegraded",
       is_cancelled as "isCancelled", over_max_response_time as "overMaxResponseTime", status_code as "statusCode",
       failure_kind as "failureKind", failure_message as "failureMessage", check_session_id as "checkSessionId",
       ${ranAtText} as "ranAt"`,
    [checkId, scheduledAt, runId],
  )
  return rows[0] ?? null
}
