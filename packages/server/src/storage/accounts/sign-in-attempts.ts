// Failed sign-ins, counted over all servers on one database.
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

/** How the attempts of one bucket slow down. */
export interface SlowDown {
  bucket: string
  /** Failures without a delay. Each further one doubles it, beginning with a second. */
  free: number
  longestSeconds: number
}

/** After that time without a failure, counting starts afresh. */
export const attemptMemoryMs = 3_600_000

/**
 * Counts an attempt as failed before its password is checked, so that parallel attempts can't outrun the count. Returns how
 * many of the buckets allow it: the caller rolls back unless all do.
 */
export async function countAttempt(tx: Db, slowDowns: readonly SlowDown[], now: number): Promise<number> {
  const at = new Date(now)
  const failures = sql`case when a.failed_at < ${new Date(now - attemptMemoryMs)} then 1 else a.failures + 1 end`
  let allowed = 0
  for (const { bucket, free, longestSeconds } of slowDowns) {
    const delay = sql`case when ${failures} <= ${free} then 0
      else least(${longestSeconds}, power(2, least(${failures} - ${free} - 1, 30))) end * interval '1 second'`
    const { rows } = await sql`
      insert into sign_in_attempts as a (bucket, failures, failed_at, retry_at)
      values (${bucket}, 1, ${at}, ${at})
      on conflict (bucket) do update
        set failures = ${failures}, failed_at = ${at}, retry_at = ${at}::timestamptz + ${delay}
        where a.retry_at <= ${at}
      returning 1`.execute(tx)
    allowed += rows.length
  }
  return allowed
}

/** When all buckets allow another attempt. */
export async function findRetryAt(db: Db, buckets: string[]): Promise<number | null> {
  const row = await db
    .selectFrom('sign_in_attempts')
    .select('retry_at')
    .where('bucket', 'in', buckets)
    .orderBy('retry_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : Date.parse(row.retry_at)
}

/** An attempt that was counted didn't fail. */
export async function uncountAttempt(db: Db, bucket: string, now: number): Promise<void> {
  await db
    .updateTable('sign_in_attempts')
    .set((column) => ({ failures: column('failures', '-', 1), retry_at: new Date(now) }))
    .where('bucket', '=', bucket)
    .where('failures', '>', 0)
    .execute()
}

export async function forgetAttempts(db: Db, bucket: string): Promise<void> {
  await db.deleteFrom('sign_in_attempts').where('bucket', '=', bucket).execute()
}
