// Check sessions: one check, run now in all its locations. The row lists the pending runs, so that one update of one row
// shows whether the session is over.
import type { RunSource } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db, Pool } from '../core/db.ts'
import type { CheckSessionOptions } from '../core/session-columns.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type CheckSessionRow = Selectable<Tables['check_sessions']>

export interface NewCheckSession {
  id: string
  accountId: string
  checkId: string
  checkType: string
  name: string
  runSource: RunSource
  runLocations: string[]
  options: CheckSessionOptions
  startedAt: number
}

export const { find: findCheckSession } = accountRows('check_sessions')

const insertText = `
  insert into check_sessions (id, account_id, check_id, check_type, name, status, run_source, run_locations, options,
    expected, started_at)
  select r."id", r."accountId", r."checkId", r."checkType", r."name", 'STARTED', r."runSource", r."runLocations",
    r."options", cardinality(r."runLocations"), to_timestamp(r."startedAt" / 1000.0)
  from jsonb_to_recordset($1::jsonb) as r ("id" uuid, "accountId" uuid, "checkId" uuid, "checkType" text, "name" text,
    "runSource" text, "runLocations" text[], "options" jsonb, "startedAt" float8)
  returning *`

/** In the order given. */
export async function insertCheckSessions(
  client: Client,
  sessions: readonly NewCheckSession[],
): Promise<CheckSessionRow[]> {
  const { rows } = await client.query<CheckSessionRow>(insertText, [JSON.stringify(sessions)])
  const byId = new Map(rows.map((row) => [row.id, row]))
  return sessions.flatMap(({ id }) => byId.get(id) ?? [])
}

/** Locked until the transaction ends; null if it doesn't exist. */
export async function lockCheckSession(client: Client, id: string): Promise<CheckSessionRow | null> {
  const { rows } = await client.query<CheckSessionRow>({
    name: 'lock_check_session',
    text: 'select * from check_sessions where id = $1 for no key update',
    values: [id],
  })
  return rows[0] ?? null
}

type Progress = Pick<
  CheckSessionRow,
  'id' | 'status' | 'done' | 'failed' | 'degraded' | 'errors' | 'timed_out' | 'cancelled' | 'options'
> & { stoppedAt: number | null }

/** The row is locked by the caller. */
export async function updateCheckSession(client: Client, row: Progress): Promise<void> {
  await client.query({
    name: 'update_check_session',
    text: `update check_sessions set status = $2, done = $3, failed = $4, degraded = $5, errors = $6, timed_out = $7,
      cancelled = $8, options = $9, stopped_at = to_timestamp($10 / 1000.0) where id = $1`,
    values: [
      row.id,
      row.status,
      row.done,
      row.failed,
      row.degraded,
      row.errors,
      row.timed_out,
      row.cancelled,
      JSON.stringify(row.options),
      row.stoppedAt,
    ],
  })
}

/** The sessions of either kind that still run. Callers must have checked access. */
export async function listRunningSessions(pool: Pool, ids: readonly string[]): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'list_running_sessions',
    text: `select id from check_sessions where id = any($1::uuid[]) and stopped_at is null
      union all select id from test_sessions where id = any($1::uuid[]) and stopped_at is null`,
    values: [ids],
  })
  return new Set(rows.map(({ id }) => id))
}

export type SessionResultRow = Pick<
  Selectable<Tables['results']>,
  | 'id'
  | 'location'
  | 'agent_id'
  | 'agent_name'
  | 'is_built_in_agent'
  | 'result_type'
  | 'has_errors'
  | 'has_failures'
  | 'is_degraded'
  | 'is_cancelled'
  | 'response_time'
  | 'started_at'
  | 'stopped_at'
  | 'failure_message'
>

/** By location and attempt. The slot of its runs is the start of the session. */
export async function listSessionResults(
  db: Db,
  { id, account_id, check_id, started_at }: CheckSessionRow,
): Promise<SessionResultRow[]> {
  return db
    .selectFrom('results')
    .select(['id', 'location', 'result_type', 'has_errors', 'has_failures', 'is_degraded', 'is_cancelled'])
    .select(['response_time', 'started_at', 'stopped_at', 'failure_message'])
    .select(['agent_id', 'agent_name', 'is_built_in_agent'])
    .where('account_id', '=', account_id)
    .where('check_id', '=', check_id)
    .where('scheduled_at', '=', started_at)
    .where('check_session_id', '=', id)
    .orderBy('location')
    .orderBy('run_id')
    .orderBy('attempt')
    .execute()
}
