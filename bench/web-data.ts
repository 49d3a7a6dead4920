// An account as the web app meets it: checks in groups with tags, raw results of the last 24 hours and rollups of 30 days. Written
// by SQL: through the API and agents it would take hours. Rollups of a few checks are made by the server and copied to the others.
import type pg from 'pg'
import { createCheck, post } from './api-calls.ts'
import { connectTo, type Vedette } from './server-process.ts'

const [minuteMs, dayMs] = [60_000, 86_400_000]
const everyMinutes = 10
const sampleChecks = 10
const days = 30
/** Hours are read for the edges of a week and for charts of a day. */
const daysByHour = 8

export async function fillWebData(vedette: Vedette, checkCount: number): Promise<void> {
  const groups: number[] = []
  for (const name of ['Shop', 'Payments', 'Search', 'Mail', 'Internal'])
    groups.push((await post<{ id: number }>(vedette, '/v1/check-groups', { name })).id)
  const template = await createCheck(vedette, 'url', {
    name: 'Template',
    frequency: everyMinutes,
    locations: ['eu-west-1'],
    request: { url: 'https://shop.example.com/' },
  })
  const client = await connectTo(vedette)
  await client.query('set synchronous_commit = off')
  const now = Date.now()
  const values = { template, checkCount, groups, now, accountId: vedette.accountId }
  await copyChecks(client, values)
  await fillResults(client, values)
  await waitForSummaries(client, sampleChecks)
  await copyRollups(client, values)
  await client.query('vacuum analyze')
  await waitForSummaries(client, checkCount)
  await client.end()
}

interface Filled {
  template: string
  accountId: string
  checkCount: number
  groups: number[]
  now: number
}

/** The template is the first of them. */
async function copyChecks(client: pg.Client, { template, checkCount, groups, now }: Filled): Promise<void> {
  const copy = async (table: string, key: string, changes: Record<string, string>) => {
    const { rows } = await client.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attidentity = ''`,
      [table],
    )
    const columns = rows.map(({ name }) => name)
    await client.query(
      `insert into ${table} (${columns.join(', ')})
       select ${columns.map((name) => changes[name] ?? `t.${name}`).join(', ')} from ${table} t, filled f where t.${key} = $1 and f.n > 1`,
      [template],
    )
  }
  await client.query(
    `create temp table filled as select n, case when n = 1 then '${template}'::uuid else gen_random_uuid() end as id
     from generate_series(1, ${checkCount}) n`,
  )
  await copy('checks', 'id', {
    id: 'f.id',
    name: `(array['Home page', 'Login', 'Checkout', 'Search', 'Invoice'])[f.n % 5 + 1] || ' ' || f.n`,
    group_id: `case when f.n % 3 = 0 then (array[${groups}])[f.n % ${groups.length} + 1] end`,
    tags: `array['team-' || f.n % 20, case when f.n % 4 = 0 then 'production' else 'staging' end]`,
    settings: `jsonb_set(t.settings, '{request,url}', to_jsonb('https://host-' || f.n % 500 || '.example.com/' || f.n))`,
    muted: 'f.n % 97 = 0',
    activated: 'f.n % 50 <> 0',
  })
  await copy('schedule', 'check_id', {
    check_id: 'f.id',
    phase_ms: `f.n * 59 % ${everyMinutes * minuteMs}`,
    slot_at: `to_timestamp(${now} / 1000.0) + interval '1 day'`,
    due_at: `to_timestamp(${now} / 1000.0) + interval '1 day'`,
    served: `jsonb_build_object('eu-west-1', ${now})`,
  })
  await client.query(`update schedule set due_at = due_at + interval '1 day' where check_id = $1`, [template])
  await client.query(
    `insert into check_statuses (check_id, account_id, has_failures, has_errors, is_degraded, longest_run, shortest_run,
       last_run_location, last_check_run_id, decided_at, created_at, known_at, state_since, failure_message)
     select c.id, c.account_id, f.n % 100 = 7, false, f.n % 100 = 8, 900, 20, 'eu-west-1', $1::float8::text, to_timestamp($1::float8 / 1000),
       now() - interval '30 days', to_timestamp($1::float8 / 1000), now() - interval '1 hour' * (f.n % 40),
       case when f.n % 100 = 7 then 'connect ECONNREFUSED 203.0.113.7:443' end
     from filled f join checks c on c.id = f.id`,
    [now],
  )
}

async function fillResults(client: pg.Client, { accountId, checkCount, now }: Filled): Promise<void> {
  const begin = now - dayMs
  for (let day = Math.floor(begin / dayMs) * dayMs; day < now; day += dayMs) {
    const name = `results_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`
    const range = [day, day + dayMs].map((instant) => `'${new Date(instant).toISOString()}'`)
    await client.query(
      `create table if not exists ${name} partition of results for values from (${range[0]}) to (${range[1]})`,
    )
  }
  console.log(`writing ${checkCount * 24 * (60 / everyMinutes)} results`)
  await client.query(
    `insert into results (account_id, check_id, scheduled_at, run_id, attempt, id, check_type, source, result_type, location,
       started_at, stopped_at, created_at, response_time, has_failures, has_errors, is_degraded, is_cancelled,
       over_max_response_time, status_code, metrics)
     select $1, id, at, run_id, 1, run_id, 'URL', 'schedule', 'FINAL', 'eu-west-1', at, at, at, ms, luck < 0.01, false,
       luck > 0.98, false, false, case when luck < 0.01 then 500 else 200 end,
       array[ms, ms * 0.05, ms * 0.1, ms * 0.15, ms * 0.6, ms * 0.1]::real[]
     from (
       select f.id, slot + f.n * 59 % ($4::int * 60000) * interval '1 millisecond' as at, gen_random_uuid() as run_id,
         random() as luck, exp(5 + f.n % 7 * 0.1 + 0.4 * random_normal())::real as ms
       from generate_series(to_timestamp($2 / 1000.0), to_timestamp($3 / 1000.0) - $4::int * interval '1 minute',
         $4::int * interval '1 minute') slot, filled f order by 2
     ) run`,
    [accountId, begin, now, everyMinutes],
  )
  await client.query(
    `insert into rollup_pending (account_id, check_id, hour)
     select $1, f.id, hour from filled f,
       generate_series(date_trunc('hour', to_timestamp($2 / 1000.0)), to_timestamp($3 / 1000.0), interval '1 hour') hour
     where f.n <= ${sampleChecks} or hour >= date_trunc('hour', to_timestamp($3 / 1000.0))
     on conflict do nothing`,
    [accountId, begin, now],
  )
}

/** The loop of the server rolls up every 20 seconds. */
async function waitForSummaries(client: pg.Client, count: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ done: number }>(
      'select count(*)::int as done from check_summaries where not is_outdated and runs_24h > 0',
    )
    if ((rows[0]?.done ?? 0) >= count) return
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}

/** The hours of the last day of a sample become those of other checks and earlier days. */
async function copyRollups(client: pg.Client, { now }: Filled): Promise<void> {
  const lastDay = Math.floor((now - dayMs) / dayMs) * dayMs
  for (let month = lastDay - days * dayMs; month < now + 31 * dayMs; month += 28 * dayMs) {
    const first = new Date(month)
    const [from, to] = [0, 1].map(
      (offset) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + offset)),
    )
    const suffix = from?.toISOString().slice(0, 7).replace('-', '')
    for (const table of ['rollups', 'coverage']) {
      await client.query(
        `create table if not exists ${table}_${suffix} partition of ${table} for values from ('${from?.toISOString()}') to ('${to?.toISOString()}')`,
      )
    }
  }
  const copied = `account_id, f.id, r.grain, r.bucket_at - d * interval '1 day', location, dimension, outcome, runs, degraded, retries, sketches`
  for (const [grain, dayCount] of [
    ['day', days],
    ['hour', daysByHour],
  ] as const) {
    await client.query(
      `insert into rollups select ${copied}
       from generate_series(0, ${dayCount} - 1) d, filled f join filled sample on sample.n = f.n % ${sampleChecks} + 1
       join rollups r on r.check_id = sample.id and r.grain = '${grain}'
       on conflict do nothing`,
    )
  }
  await client.query(
    `insert into check_summaries (account_id, check_id, until) select c.account_id, c.id, to_timestamp(0) from filled f join checks c on c.id = f.id
     on conflict (check_id) do update set is_outdated = true`,
  )
}
