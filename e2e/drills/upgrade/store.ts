// The embedded PostgreSQL of a data directory, seen from outside the server.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { until } from '../fleet.ts'

const hourMs = 3_600_000

export async function query<R extends pg.QueryResultRow>(
  dataDir: string,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  const host = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4] as string
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim()
  const client = new pg.Client({ host, port: 5432, user: 'vedette', password, database: 'vedette' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<R>(text, values)).rows
  } finally {
    await client.end()
  }
}

export function postmasterPid(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
}

/**
 * Copies each final result into hours that are closed, today and yesterday, so that the release rolls them up.
 * The columns are those of release 0.1.0. Resolves to the number of rollups.
 */
export async function seedRollups(dataDir: string, accountId: string): Promise<number> {
  for (const hoursAgo of [2, 3, 26]) {
    const day = new Date(Date.now() - hoursAgo * hourMs).toISOString().slice(0, 10)
    await ensureDay(dataDir, day)
    await query(
      dataDir,
      `insert into results (account_id, check_id, scheduled_at, run_id, attempt, id, check_type, source, result_type,
         location, started_at, stopped_at, created_at, response_time, has_failures, has_errors, is_degraded, is_cancelled,
         over_max_response_time, status_code, metrics, failure_kind, failure_message)
       select account_id, check_id, at, gen_random_uuid(), attempt,
         (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(id::text), 1, 3)
           || '8' || substr(md5(id::text), 4, 15))::uuid,
         check_type, 'schedule', result_type, location, at, at + (stopped_at - started_at), at, response_time,
         has_failures, has_errors, is_degraded, is_cancelled, over_max_response_time, status_code, metrics,
         failure_kind, failure_message
       from (
         select *, scheduled_at - $2::integer * interval '1 hour' as at from results
         where account_id = $1 and result_type = 'FINAL' and scheduled_at > now() - interval '1 hour'
           and check_type <> 'HEARTBEAT'
       ) copied`,
      [accountId, hoursAgo],
    )
  }
  await query(
    dataDir,
    `insert into rollup_pending (account_id, check_id, hour)
     select distinct account_id, check_id, date_trunc('hour', scheduled_at) from results
     where account_id = $1 and scheduled_at < date_trunc('hour', now())
     on conflict do nothing`,
    [accountId],
  )
  await until(
    'closed hours are rolled up',
    async () => {
      const pending = await query(
        dataDir,
        `select from rollup_pending where account_id = $1 and hour < date_trunc('hour', now())`,
        [accountId],
      )
      return pending.length === 0
    },
    300_000,
  )
  return (await query(dataDir, 'select from rollups where account_id = $1', [accountId])).length
}

async function ensureDay(dataDir: string, day: string): Promise<void> {
  const next = new Date(Date.parse(day) + 24 * hourMs).toISOString().slice(0, 10)
  for (const table of ['results', 'result_details', 'artifacts']) {
    const name = `${table}_${day.replaceAll('-', '')}`
    const found = await query(dataDir, 'select from pg_class where relname = $1', [name])
    if (found.length > 0) continue
    await query(
      dataDir,
      `create table ${name} partition of ${table} for values from ('${day}T00:00:00Z') to ('${next}T00:00:00Z')`,
    )
  }
}
