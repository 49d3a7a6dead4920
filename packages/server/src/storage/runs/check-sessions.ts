// Check sessions: one check, run now in all its locations. What is still to come stands in the row itself, so that one
// update of one row says whether the session is over.
import type { RunSource } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db, Pool } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export interface CheckSessionOptions {
  refreshCache: boolean
  environmentUrl: string | null
  environmentName: string | null
  /** The runs that are not over. */
  pending: string[]
  /** The session whose turn it is after this one. */
  next: string | null
}

export type CheckSessionRow = Omit<Selectable<Tables['check_sessions']>, 'options'> & {
  options: CheckSessionOptions
}

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

const rows = accountRows('check_sessions')

export async function findCheckSession(
  db: Db,
  accountId: string,
  id: string,
): Promise<CheckSessionRow | null> {
  return (await rows.find(db, accountId, id)) as CheckSessionRow | null
}

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
  const inserted = await client.query<CheckSessionRow>(insertText, [JSON.stringify(sessions)])
  const byId = new Map(inserted.rows.map((row) => [row.id, row]))
  return sessions.map(({ id }) => byId.get(id) as CheckSessionRow)
}

/** Held until the transaction ends; null when there is none any more. */
export async function lockCheckSession(client: Client, id: string): Promise<CheckSessionRow | null> {
  const { rows: found } = await client.query<CheckSessionRow>({
    name: 'lock_check_session',
    text: 'select * from check_sessions where id = $1 for no key update',
    values: [id],
  })
  return found[0] ?? null
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

/** Of sessions of either kind, those that still run. Answers who waits; whether they may was asked before. */
export async function listRunningSessions(pool: Pool, ids: readonly string[]): Promise<Set<string>> {
  const { rows: running } = await pool.query<{ id: string }>({
    name: 'list_running_sessions',
    text: `select id from check_sessions where id = any($1::uuid[]) and stopped_at is null
      union all select id from test_sessions where id = any($1::uuid[]) and stopped_at is null`,
    values: [ids],
  })
  return new Set(running.map(({ id }) => id))
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

/** By location and attempt. The slot of its runs is when the session was asked for: the key begins with it. */
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
