// One run in several locations at once. Its row counts the parts and is locked while one is added, so it's decided once.
import type { TriggeringResult } from '../alerts/alert-states.ts'
import { firstRow } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

export interface ParallelPart {
  accountId: string
  checkId: string
  scheduledAt: number
  /** Of an on-demand run; a scheduled one has none. */
  sessionId: string | null
  expected: number
  failed: boolean
  degraded: boolean
  error: boolean
  lead: TriggeringResult
  /** After this time it's decided without the missing locations. */
  deadlineAt: number
}

export interface ParallelRun {
  accountId: string
  checkId: string
  scheduledAt: number
  sessionId: string | null
  expected: number
  done: number
  failed: number
  degraded: number
  errors: number
  isDecided: boolean
  lead: TriggeringResult
}

const noSession = '00000000-0000-0000-0000-000000000000'

const columns = `account_id as "accountId", check_id as "checkId",
  (extract(epoch from scheduled_at) * 1000)::float8 as "scheduledAt", nullif(session_id, '${noSession}') as "sessionId",
  expected, done, failed, degraded, errors, decided as "isDecided", lead`

export async function addParallelPart(client: Client, part: ParallelPart): Promise<ParallelRun> {
  const { rows } = await client.query<ParallelRun>({
    name: 'add_parallel_part',
    text: `
      insert into parallel_runs as p (account_id, check_id, scheduled_at, session_id, expected, done, failed, degraded, errors,
        lead, deadline_at)
      values ($1, $2, to_timestamp($3 / 1000.0), $4, $5, 1, $6, $7, $8, $9, to_timestamp($10 / 1000.0))
      on conflict (check_id, scheduled_at, session_id) do update set done = p.done + 1, failed = p.failed + excluded.failed,
        degraded = p.degraded + excluded.degraded, errors = p.errors + excluded.errors,
        lead = case
          when excluded.failed > 0 and p.failed = 0 or excluded.degraded > 0 and p.failed = 0 and p.degraded = 0
            or p.errors = p.done then excluded.lead
          else p.lead end
      returning ${columns}`,
    values: [
      part.accountId,
      part.checkId,
      part.scheduledAt,
      part.sessionId ?? noSession,
      part.expected,
      Number(part.failed),
      Number(part.degraded),
      Number(part.error),
      part.lead,
      part.deadlineAt,
    ],
  })
  return firstRow(rows)
}

export async function markDecided(client: Client, run: ParallelRun): Promise<void> {
  await client.query({
    name: 'mark_parallel_run_decided',
    text: `update parallel_runs set decided = true
      where check_id = $1 and scheduled_at = to_timestamp($2 / 1000.0) and session_id = $3`,
    values: [run.checkId, run.scheduledAt, run.sessionId ?? noSession],
  })
}

/**
 * Undecided runs past their deadline. Runs with a location that is still running or retrying get more time instead, since
 * they end by themselves.
 */
export async function claimOverdueParallelRuns(
  client: Client,
  { now, limit, moreMs }: { now: number; limit: number; moreMs: number },
): Promise<ParallelRun[]> {
  const { rows } = await client.query<ParallelRun & { isAtWork: boolean }>({
    name: 'claim_overdue_parallel_runs',
    text: `
      with overdue as (
        select check_id, scheduled_at, session_id from parallel_runs
        where not decided and deadline_at <= to_timestamp($1 / 1000.0)
        order by deadline_at limit $2 for update skip locked
      ), looked_at as (
        select o.*, exists (
          select from schedule s where s.check_id = o.check_id and s.run_id is not null and (
            case when o.session_id = '${noSession}' then s.period_ms is not null and s.slot_at = o.scheduled_at
            else s.check_session_id = o.session_id end)
        ) as at_work from overdue o
      )
      update parallel_runs p set deadline_at = to_timestamp(($1 + $3) / 1000.0), decided = not l.at_work
      from looked_at l
      where p.check_id = l.check_id and p.scheduled_at = l.scheduled_at and p.session_id = l.session_id
      returning p.account_id as "accountId", p.check_id as "checkId",
        (extract(epoch from p.scheduled_at) * 1000)::float8 as "scheduledAt",
        nullif(p.session_id, '${noSession}') as "sessionId", expected, done, failed, degraded, errors,
        decided as "isDecided", lead, at_work as "isAtWork"`,
    values: [now, limit, moreMs],
  })
  return rows.filter(({ isAtWork }) => !isAtWork)
}
