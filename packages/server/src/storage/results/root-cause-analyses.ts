// Root-cause analyses: requested as pending rows, and completed by the server that claims them.
import { randomUUID } from 'node:crypto'
import { keysOf, plans } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import type { Db, Pool } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type AnalysisRow = Selectable<Tables['root_cause_analyses']>

/** Which of the two kinds of groups. */
export type GroupColumn = 'error_group_id' | 'test_session_error_group_id'

export const { find: findAnalysis } = accountRows('root_cause_analyses')

export interface AnalysisRequest {
  accountId: string
  column: GroupColumn
  groupId: string
  checkId: string | null
  checkType: string | null
  userContext: string
  now: number
}

/** Returns its id, or that of a pending one with the same context. */
export async function requestAnalysis(db: Db, request: AnalysisRequest): Promise<string> {
  const { accountId, column, groupId, userContext } = request
  const waiting = await db
    .selectFrom('root_cause_analyses')
    .select('id')
    .where('account_id', '=', accountId)
    .where(column, '=', groupId)
    .where('status', '=', 'PENDING')
    .where('user_context', '=', userContext)
    .limit(1)
    .executeTakeFirst()
  if (waiting !== undefined) return waiting.id
  const at = new Date(request.now)
  const row = await db
    .insertInto('root_cause_analyses')
    .values({
      id: randomUUID(),
      account_id: accountId,
      [column]: groupId,
      check_id: request.checkId,
      check_type: request.checkType,
      status: 'PENDING',
      is_automatic: false,
      user_context: userContext,
      due_at: at,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

const plansWithout = keysOf(plans).filter((id) => plans[id].missing.includes('ROOT_CAUSE_ANALYSIS'))

/** For new groups, in accounts that have automatic analyses. */
export async function requestAutomaticAnalyses(
  client: Client,
  errorGroupIds: readonly string[],
  now: number,
): Promise<void> {
  if (errorGroupIds.length === 0) return
  await client.query({
    name: 'request_automatic_analyses',
    text: `insert into root_cause_analyses (id, account_id, error_group_id, check_id, check_type, status, is_automatic,
        user_context, due_at, created_at)
      select gen_random_uuid(), g.account_id, g.id, g.check_id, c.check_type, 'PENDING', true, '',
        to_timestamp($2 / 1000.0), to_timestamp($2 / 1000.0)
      from error_groups g
      join accounts a on a.id = g.account_id and a.settings ->> 'automaticRootCauseAnalysis' = 'true'
        and a.plan <> all($3::text[])
      join checks c on c.account_id = g.account_id and c.id = g.check_id
      where g.id = any($1::uuid[])`,
    values: [errorGroupIds, now, plansWithout],
  })
}

/** The latest completed ones of each group, newest first. */
export async function listGroupAnalyses(
  db: Db,
  accountId: string,
  column: GroupColumn,
  groupIds: readonly string[],
  perGroup: number,
): Promise<Map<string, AnalysisRow[]>> {
  if (groupIds.length === 0) return new Map()
  const { rows } = await sql<AnalysisRow>`
    select a.* from unnest(${[...groupIds]}::uuid[]) g (id)
    cross join lateral (
      select * from root_cause_analyses a
      where a.${sql.ref(column)} = g.id and a.account_id = ${accountId} and a.status = 'COMPLETED'
      order by a.created_at desc limit ${perGroup}
    ) a order by a.created_at desc, a.id`.execute(db)
  return Map.groupBy(rows, (row) => row[column] ?? '')
}

export interface LatestAnalysis {
  id: string
  classification: string
  rootCause: string
  userImpact: string
  codeFix: string | null
}

/** The analysis of an error group for messages; null: there is none yet. */
export async function findLatestAnalysis(
  db: Db,
  accountId: string,
  errorGroupId: string,
): Promise<LatestAnalysis | null> {
  const groups = await listGroupAnalyses(db, accountId, 'error_group_id', [errorGroupId], 1)
  const row = groups.get(errorGroupId)?.[0]
  if (!row?.analysis) return null
  const { classification, rootCause, userImpact, codeFix = null } = row.analysis
  return { id: row.id, classification, rootCause, userImpact, codeFix }
}

/**
 * Claims due analyses for the length of the lease; after that they become due again. Crosses accounts on purpose: it serves
 * the loop, not a caller.
 */
export async function claimAnalyses(
  pool: Pool,
  now: number,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<AnalysisRow[]> {
  const { rows } = await pool.query<AnalysisRow>({
    name: 'claim_analyses',
    text: `update root_cause_analyses set attempts = attempts + 1, due_at = to_timestamp(($1 + $3) / 1000.0)
      where id in (select id from root_cause_analyses where due_at <= to_timestamp($1 / 1000.0)
        order by due_at limit $2 for update skip locked)
      returning *`,
    values: [now, limit, leaseMs],
  })
  return rows
}

export interface CompletedAnalysis {
  checkId: string | null
  checkType: string | null
  provider: string
  model: string
  durationMs: number
  analysis: object
  /** Without secrets, since it's shown from now on. */
  userContext: string
}

/** Does nothing if another server has claimed it since. */
export async function completeAnalysis(
  pool: Pool,
  { id, account_id, attempts }: AnalysisRow,
  done: CompletedAnalysis,
  now: number,
): Promise<void> {
  await pool.query(
    `update root_cause_analyses set status = 'COMPLETED', due_at = null, completed_at = to_timestamp($4 / 1000.0),
      check_id = coalesce($5, check_id), check_type = coalesce($6, check_type), provider = $7, model = $8,
      duration_ms = $9, analysis = $10, user_context = $11
    where id = $1 and account_id = $2 and attempts = $3 and status = 'PENDING'`,
    [
      id,
      account_id,
      attempts,
      now,
      done.checkId,
      done.checkType,
      done.provider,
      done.model,
      Math.round(done.durationMs),
      JSON.stringify(done.analysis),
      done.userContext,
    ],
  )
}

export async function postponeAnalysis(
  pool: Pool,
  { id, account_id, attempts }: AnalysisRow,
  dueAt: number,
): Promise<void> {
  await pool.query(
    `update root_cause_analyses set due_at = to_timestamp($4 / 1000.0)
    where id = $1 and account_id = $2 and attempts = $3 and status = 'PENDING'`,
    [id, account_id, attempts, dueAt],
  )
}
