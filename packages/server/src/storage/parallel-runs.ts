import type { Client } from './transaction.ts'

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
}

export interface ParallelRun {
  isDone: boolean
  failed: number
  degraded: number
  errors: number
}

const noSession = '00000000-0000-0000-0000-000000000000'

/** Adds one location's part. The update that makes it complete is the one that decides: nobody counts siblings. */
export async function addParallelPart(client: Client, part: ParallelPart): Promise<ParallelRun> {
  const { rows } = await client.query<ParallelRun>({
    name: 'add_parallel_part',
    text: `
      insert into parallel_runs as p (account_id, check_id, scheduled_at, session_id, expected, done, failed, degraded, errors)
      values ($1, $2, to_timestamp($3 / 1000.0), $4, $5, 1, $6, $7, $8)
      on conflict (check_id, scheduled_at, session_id) do update set done = p.done + 1, failed = p.failed + excluded.failed,
        degraded = p.degraded + excluded.degraded, errors = p.errors + excluded.errors
      returning done = expected as "isDone", failed, degraded, errors`,
    values: [
      part.accountId,
      part.checkId,
      part.scheduledAt,
      part.sessionId ?? noSession,
      part.expected,
      Number(part.failed),
      Number(part.degraded),
      Number(part.error),
    ],
  })
  return rows[0] as ParallelRun
}
