// The length of the queues of private locations, per minute.
import type { Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

export interface QueueSample {
  measuredAt: string
  queueSize: number
  oldestMs: number
}

const minuteMs = 60_000

/** One sample per location and minute, even with several servers. */
export async function insertQueueSamples(client: Client, nowMs: number): Promise<void> {
  await client.query(
    `insert into private_location_metrics (private_location_id, measured_at, queue_size, oldest_ms)
     select l.id, $1, coalesce(q.waiting, 0), coalesce(q.oldest_ms, 0)
     from private_locations l
     left join lateral (
       select count(*) as waiting, (extract(epoch from $2::timestamptz - min(s.due_at)) * 1000)::bigint as oldest_ms
       from schedule s where s.queue in (l.id::text, l.id::text || '/code') and s.due_at <= $2::timestamptz
     ) q on true
     on conflict do nothing`,
    [new Date(Math.floor(nowMs / minuteMs) * minuteMs), new Date(nowMs)],
  )
}

export async function listQueueSamples(
  pool: Pool,
  accountId: string,
  privateLocationId: string,
  span: { from: number; to: number },
): Promise<QueueSample[]> {
  const { rows } = await pool.query<QueueSample>(
    `select m.measured_at as "measuredAt", m.queue_size as "queueSize", m.oldest_ms as "oldestMs"
     from private_location_metrics m join private_locations l on l.id = m.private_location_id
     where l.account_id = $1 and l.id = $2 and m.measured_at >= $3 and m.measured_at < $4
     order by m.measured_at`,
    [accountId, privateLocationId, new Date(span.from), new Date(span.to)],
  )
  return rows
}

export interface Queue {
  queue: string
  waiting: number
  inProgress: number
  oldestMs: number
}

/** What is due or leased in each queue now. */
export async function listQueues(pool: Pool, nowMs: number, queues?: string[]): Promise<Queue[]> {
  const { rows } = await pool.query<Queue>(
    `select queue, count(*) filter (where due_at <= $1) as waiting,
       count(*) filter (where due_at > $1 and lease_id is not null and run_started_at <= $1) as "inProgress",
       coalesce((extract(epoch from $1::timestamptz - min(due_at) filter (where due_at <= $1)) * 1000)::bigint, 0) as "oldestMs"
     from schedule where (due_at <= $1 or lease_id is not null) and ($2::text[] is null or queue = any($2))
     group by queue order by queue`,
    [new Date(nowMs), queues ?? null],
  )
  return rows
}
