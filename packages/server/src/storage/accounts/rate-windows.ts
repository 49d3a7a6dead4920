import type pg from 'pg'

export interface Lease {
  /** How many of the requested requests this process may allow. */
  granted: number
  /** How many are left for all processes after that. */
  left: number
}

/** Reserves a block of requests of a bucket's window, shared by all server processes on one database. */
export async function leaseRequests(
  pool: pg.Pool,
  ask: { bucket: string; windowStart: number; limit: number; block: number },
): Promise<Lease> {
  const { rows } = await pool.query<{ used: number }>({
    name: 'lease-requests',
    text: `
      insert into rate_windows as w (bucket, window_start, used) values ($1, $2, $3)
      on conflict (bucket) do update set
        window_start = greatest(w.window_start, excluded.window_start),
        used = least(2000000000, excluded.used + case when w.window_start < excluded.window_start then 0 else w.used end)
      returning used`,
    values: [ask.bucket, ask.windowStart, ask.block],
  })
  const used = rows[0]?.used ?? ask.block
  const before = used - ask.block
  return {
    granted: Math.max(0, Math.min(ask.block, ask.limit - before)),
    left: Math.max(0, ask.limit - used),
  }
}

export async function deleteOldWindows(pool: pg.Pool, beforeSeconds: number): Promise<void> {
  await pool.query('delete from rate_windows where window_start < $1', [beforeSeconds])
}
