// Inserts results in batches, one statement per table.
import type { CheckType, FailureKind, RanAt } from '@vedette/contracts'
import { arrayText } from '../core/array-text.ts'
import { columnKinds, currentTime, insertMany } from '../core/insert-many.ts'
import type { Client } from '../core/transaction.ts'

export interface ResultRow {
  accountId: string
  checkId: string
  /** The slot, the request of an on-demand run, or the event of a heartbeat. Milliseconds by the server's clock. */
  scheduledAt: number
  runId: string
  attempt: number
  id: string
  checkType: CheckType
  source: 'schedule' | 'session' | 'heartbeat'
  resultType: 'FINAL' | 'ATTEMPT'
  /** Empty for heartbeats. */
  location: string
  /** Null: no agent ran it, or the agent is unknown. */
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
  failureKind: FailureKind | null
  failureMessage: string | null
  checkSessionId: string | null
  errorGroupIds: string[]
}

const result = columnKinds<ResultRow>()

const insertResultRows = insertMany(
  'insert_results',
  'results',
  {
    account_id: result.uuid((row) => row.accountId),
    check_id: result.uuid((row) => row.checkId),
    scheduled_at: result.instant((row) => row.scheduledAt),
    run_id: result.uuid((row) => row.runId),
    attempt: result.smallint((row) => row.attempt),
    id: result.uuid((row) => row.id),
    check_type: result.word((row) => row.checkType),
    source: result.word((row) => row.source),
    result_type: result.word((row) => row.resultType),
    location: result.text((row) => row.location),
    started_at: result.instant((row) => row.startedAt),
    stopped_at: result.instant((row) => row.stoppedAt),
    created_at: currentTime,
    response_time: result.real((row) => row.responseTimeMs),
    ...result.flags({
      has_failures: (row) => row.hasFailures,
      has_errors: (row) => row.hasErrors,
      is_degraded: (row) => row.isDegraded,
      is_cancelled: (row) => row.isCancelled,
      over_max_response_time: (row) => row.overMaxResponseTime,
    }),
    status_code: result.smallint((row) => row.statusCode),
    metrics: result.array('real', (row) => arrayText(row.metrics)),
    failure_kind: result.text((row) => row.failureKind),
    failure_message: result.text((row) => row.failureMessage),
    check_session_id: result.uuid((row) => row.checkSessionId),
    error_group_ids: result.array('uuid', (row) =>
      row.errorGroupIds.length === 0 ? null : arrayText(row.errorGroupIds),
    ),
    agent_id: result.uuid((row) => row.ranAt?.agentId ?? null),
    agent_name: result.text((row) => row.ranAt?.agentName ?? null),
    is_built_in_agent: result.boolean((row) => row.ranAt?.isBuiltIn ?? null),
  },
  { onConflict: 'do nothing', returning: 'id' },
)

/** Returns the ids of those that are new. */
export async function insertResults(
  client: Client,
  rows: readonly ResultRow[],
  now: number,
): Promise<Set<string>> {
  const inserted = await insertResultRows<{ id: string }>(client, rows, now)
  return new Set(inserted.map(({ id }) => id))
}

export interface CheckHour {
  accountId: string
  checkId: string
  hour: number
}

const pending = columnKinds<CheckHour>()

const pendingColumns = {
  account_id: pending.uuid((row) => row.accountId),
  check_id: pending.uuid((row) => row.checkId),
  hour: pending.instant((row) => row.hour),
}

const markOpen = insertMany('mark_open', 'rollup_pending', pendingColumns, {
  onConflict: '(check_id, hour) do nothing',
})
const markClosed = insertMany('mark_closed', 'rollup_pending', pendingColumns, {
  onConflict: '(check_id, hour) do update set touched_at = excluded.touched_at',
})

/**
 * Marks hours whose rollups are outdated. `isClosed`: they may be being rolled up, so the mark is locked, and the roll-up
 * either sees these results or finds the mark again. Open hours aren't rolled up, so an existing mark isn't written.
 */
export async function markPending(
  client: Client,
  hours: readonly CheckHour[],
  { isClosed }: { isClosed: boolean },
): Promise<void> {
  await (isClosed ? markClosed : markOpen)(client, hours)
}

export interface RecordedCheck {
  id: string
  /** In minutes; 0: more often, or a heartbeat monitor. */
  frequency: number
  /** Its last run passed, and it hasn't been edited since. */
  isSettled: boolean
}

/** By id; only checks that exist: results of deleted checks are ignored. */
export async function listRecordedChecks(
  client: Client,
  checkIds: Iterable<string>,
): Promise<Map<string, RecordedCheck>> {
  const { rows } = await client.query<RecordedCheck & Record<string, unknown>>({
    name: 'recorded_checks',
    text: `select c.id, c.frequency, coalesce(s.decided_at >= coalesce(c.updated_at, c.created_at)
        and not (s.has_failures or s.has_errors or s.is_degraded), false) as "isSettled"
      from checks c left join check_statuses s on s.check_id = c.id where c.id = any($1::uuid[])`,
    values: [arrayText([...checkIds])],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

export type FinalizedRow = Omit<ResultRow, 'id' | 'metrics' | 'errorGroupIds'>

/** If a retry never ran, the previous attempt becomes the final one. */
export async function finalizeAttempt(
  client: Client,
  { checkId, scheduledAt, runId }: { checkId: string; scheduledAt: number; runId: string },
): Promise<FinalizedRow | null> {
  const ofRun = 'check_id = $1 and scheduled_at = to_timestamp($2 / 1000.0) and run_id = $3'
  const { rows } = await client.query<FinalizedColumns>(
    `update results set result_type = 'FINAL'
     where ${ofRun} and result_type = 'ATTEMPT' and attempt = (select max(attempt) from results where ${ofRun})
     returning account_id as "accountId", check_id as "checkId", run_id as "runId", attempt, check_type as "checkType",
       source, result_type as "resultType", location, started_at as "startedAt", stopped_at as "stoppedAt",
       response_time as "responseTimeMs", has_failures as "hasFailures", has_errors as "hasErrors",
       is_degraded as "isDegraded", is_cancelled as "isCancelled", over_max_response_time as "overMaxResponseTime",
       status_code as "statusCode", failure_kind as "failureKind", failure_message as "failureMessage",
       check_session_id as "checkSessionId", agent_id as "agentId", agent_name as "agentName",
       is_built_in_agent as "isBuiltIn"`,
    [checkId, scheduledAt, runId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { agentId, agentName, isBuiltIn, startedAt, stoppedAt, ...rest } = row
  return {
    ...rest,
    scheduledAt,
    startedAt: Date.parse(startedAt),
    stoppedAt: Date.parse(stoppedAt),
    ranAt: agentId === null ? null : { agentId, agentName, isBuiltIn: isBuiltIn === true },
  }
}

/** Without conversions in SQL: distributed tables don't return what depends on the settings of a session. */
interface FinalizedColumns extends Omit<FinalizedRow, 'scheduledAt' | 'startedAt' | 'stoppedAt' | 'ranAt'> {
  startedAt: string
  stoppedAt: string
  agentId: string | null
  agentName: string | null
  isBuiltIn: boolean | null
}
