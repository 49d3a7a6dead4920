// A month of one check by hour and location, and of all checks of the account, among 34.5 million results: over the
// API, compared with percentile_cont over the results with an index, in the same run. BENCH_SCALE=0.05 for a quick run.
import { readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type pg from 'pg'
import { createChecks, headersOf } from './api-calls.ts'
import { load, median } from './load.ts'
import { connectTo, cpuSeconds, postgresOf, startVedette, type Vedette } from './server-process.ts'

const scale = Number(process.env.BENCH_SCALE ?? 1)
const checkCount = Math.max(4, Math.round(200 * scale))
const locations = ['eu-west-1', 'us-east-1', 'ap-south-1', 'sa-east-1']
const days = 30
const [hourMs, dayMs] = [3_600_000, 86_400_000]
const bytesPerResult = 450
const goals = { p50Ms: 60, cpuRatio: 8, reportingMs: 1000 }

const end = Math.floor(Date.now() / hourMs) * hourMs - hourMs
const begin = end - days * dayMs
const results = checkCount * locations.length * days * 1440

const names = ['p50', 'p95', 'p99', 'avg', 'max'].map((suffix) => `responseTime_${suffix}`)

const plainText = `
  select location, date_trunc('hour', scheduled_at) as hour, avg(response_time) as avg, max(response_time) as max,
    percentile_cont(array[0.5, 0.95, 0.99]) within group (order by response_time) as percentiles,
    100.0 * count(*) filter (where not has_failures) / count(*) as availability
  from results
  where account_id = $1 and check_id = $2 and scheduled_at >= to_timestamp($3 / 1000.0) and scheduled_at < to_timestamp($4 / 1000.0)
    and result_type = 'FINAL' and not is_cancelled and not has_errors
  group by 1, 2 order by 1, 2`

const { bavail, bsize } = statfsSync(tmpdir())
if (bavail * bsize < results * bytesPerResult * 1.5) {
  console.log(
    `not run: ${results} results need ${Math.ceil((results * bytesPerResult * 1.5) / 1e9)} GB of free disk`,
  )
  process.exit(1)
}

const vedette = await startVedette({ AGENT: 'off', RESULT_RETENTION_DAYS: '60' })
const headers = headersOf(vedette)
try {
  const store = await connectTo(vedette)
  const ids = await createChecks(vedette, 'api', checkCount, () => ({
    activated: false,
    locations,
    request: { method: 'GET', url: 'https://example.com' },
  }))
  await fill(vedette, ids)
  await waitForRollups(store)
  const missed = [...(await measureSeries(store, ids)), ...(await measureReporting(ids))]
  await store.end()
  console.log(missed.length === 0 ? 'all goals met' : `MISSED: ${missed.join(', ')}`)
  process.exitCode = missed.length === 0 ? 0 : 1
} finally {
  await vedette.stop()
}

/** In the order of time, so that the rows of one check are scattered. */
async function fill(server: Vedette, ids: string[]): Promise<void> {
  console.log(
    `filling in ${results} results: ${checkCount} checks, ${locations.length} locations, ${days} days`,
  )
  const started = performance.now()
  const midnights: number[] = []
  for (let day = Math.floor(begin / dayMs) * dayMs; day < end; day += dayMs) midnights.push(day)
  const worker = async () => {
    const client = await connectTo(server)
    await client.query('set synchronous_commit = off')
    for (let day = midnights.shift(); day !== undefined; day = midnights.shift())
      await fillDay(client, ids, day)
    await client.end()
  }
  await Promise.all([worker(), worker()])
  const client = await connectTo(server)
  await client.query(
    `insert into rollup_pending (account_id, check_id, hour)
     select $1, id, hour from unnest($2::uuid[]) id,
       generate_series(to_timestamp($3 / 1000.0), to_timestamp($4 / 1000.0) - interval '1 hour', interval '1 hour') hour`,
    [server.accountId, ids, begin, end],
  )
  await client.end()
  const seconds = (performance.now() - started) / 1000
  console.log(`filled in ${seconds.toFixed(0)} s: ${Math.round(results / seconds)} results/s`)
}

async function fillDay(client: pg.Client, ids: string[], day: number): Promise<void> {
  const name = `results_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`
  const [from, to] = [Math.max(day, begin), Math.min(day + dayMs, end)]
  // A later autovacuum would disturb the measurement.
  await client.query(
    `create table if not exists ${name} (like results including defaults including constraints) with (autovacuum_enabled = off)`,
  )
  await client.query(
    `insert into ${name} (account_id, check_id, scheduled_at, run_id, attempt, id, check_type, source, result_type, location,
       started_at, stopped_at, created_at, response_time, has_failures, has_errors, is_degraded, is_cancelled,
       over_max_response_time, status_code, metrics)
     select $1, check_id, at, run_id, 1, run_id, 'API', 'schedule', 'FINAL', location, at, at, at, ms, luck < 0.01, false,
       luck > 0.97, false, false, case when luck < 0.01 then 500 else 200 end,
       array[ms, ms * 0.05, ms * 0.1, ms * 0.15, ms * 0.6, ms * 0.1]::real[]
     from (
       select check_id, at + n * interval '37 milliseconds' as at, location, gen_random_uuid() as run_id,
         random() as luck, exp(5 + n % 7 * 0.1 + 0.4 * random_normal())::real as ms
       from generate_series(to_timestamp($4 / 1000.0), to_timestamp($5 / 1000.0) - interval '1 minute', interval '1 minute') at,
         unnest($2::uuid[]) with ordinality as c (check_id, n), unnest($3::text[]) location
     ) run`,
    [vedette.accountId, ids, locations, from, to],
  )
  const range = [day, day + dayMs].map((instant) => `'${new Date(instant).toISOString()}'`)
  const attached = await client.query('select from pg_inherits where inhrelid = $1::regclass', [name])
  if (attached.rowCount === 0) {
    await client.query(
      `alter table results attach partition ${name} for values from (${range[0]}) to (${range[1]})`,
    )
  }
  await client.query(`analyze ${name}`)
}

/** Waits until the loop of the server has rolled up all hours. */
async function waitForRollups(store: pg.Client): Promise<void> {
  const started = performance.now()
  const cpuBefore = usedSeconds()
  for (let printedAt = 0; ; ) {
    const { rows } = await store.query<{ left: number }>('select count(*)::int as left from rollup_pending')
    const left = rows[0]?.left ?? 0
    const seconds = (performance.now() - started) / 1000
    if (left === 0) {
      const cpu = usedSeconds() - cpuBefore
      const each = ((cpu * 1e6) / results).toFixed(1)
      console.log(
        `rolled up in ${seconds.toFixed(0)} s: ${Math.round(results / seconds)} results/s, ${each} µs of CPU each`,
      )
      break
    }
    if (seconds > 3600) throw new Error(`${left} hours are still not rolled up`)
    if (seconds > printedAt + 30) {
      printedAt = seconds
      console.log(`  ${left} hours of checks left to roll up`)
    }
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  await store.query('vacuum analyze rollups')
  // From here on, only queries are measured.
  await store.query('alter system set autovacuum = off')
  await store.query('select pg_reload_conf()')
  const { rows } = await store.query<{ size: string }>(
    `select pg_size_pretty(sum(pg_total_relation_size(inhrelid)) filter (where inhparent = 'rollups'::regclass)) || ' of rollups, '
       || pg_size_pretty(sum(pg_total_relation_size(inhrelid)) filter (where inhparent = 'results'::regclass)) || ' of results' as size
     from pg_inherits`,
  )
  console.log(rows[0]?.size)
}

/** CPU seconds of server and PostgreSQL so far, including closed connections. */
function usedSeconds(): number {
  const [postmaster = 0] = postgresOf(vedette)
  const stat = readFileSync(`/proc/${postmaster}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ended = (Number(fields[13]) + Number(fields[14])) / 100
  return ended + cpuSeconds([vedette.pid, ...postgresOf(vedette)])
}

function seriesUrl(id: string | undefined): string {
  const query = `from=${begin / 1000}&to=${end / 1000}&aggregationInterval=60&groupBy=runLocation&metrics=availability,${names.join(',')}`
  return `${vedette.url}/v1/analytics/api-checks/${id}?${query}`
}

async function measureSeries(store: pg.Client, ids: string[]): Promise<string[]> {
  await compareOnce(store, ids[1])
  const pick = (n: number) => ids[(n * 37) % ids.length]
  for (let n = 0; n < 30; n++)
    await load({ url: seriesUrl(pick(n)), headers }, { requests: 1, concurrency: 1 })
  const times = { api: [] as number[], plain: [] as number[] }
  const cpu = { api: 0, plain: 0 }
  const rounds = 5
  const perRound = { api: 20, plain: 2 }
  for (let round = 0; round < rounds; round++) {
    const before = usedSeconds()
    for (let n = 0; n < perRound.api; n++) {
      const url = seriesUrl(pick(round * perRound.api + n))
      times.api.push(...(await load({ url, headers }, { requests: 1, concurrency: 1 })).latencies)
    }
    const between = usedSeconds()
    for (let n = 0; n < perRound.plain; n++) {
      const started = performance.now()
      await store.query(plainText, [vedette.accountId, pick(round * perRound.plain + n), begin, end])
      times.plain.push(performance.now() - started)
    }
    cpu.api += between - before
    cpu.plain += usedSeconds() - between
  }
  const each = {
    api: (cpu.api * 1000) / (rounds * perRound.api),
    plain: (cpu.plain * 1000) / (rounds * perRound.plain),
  }
  const [p50, ratio] = [median(times.api), each.plain / each.api]
  const p99 = times.api.toSorted((a, b) => a - b)[Math.floor(times.api.length * 0.99)] ?? 0
  console.log(
    `one check, 30 days by hour and location, through the API: least ${Math.min(...times.api).toFixed(0)} ms, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, CPU ${each.api.toFixed(0)} ms`,
  )
  console.log(
    `the same by percentile_cont: p50 ${median(times.plain).toFixed(0)} ms, CPU ${each.plain.toFixed(0)} ms`,
  )
  console.log(
    `goal: p50 under ${goals.p50Ms} ms: ${p50.toFixed(1)} ms — ${p50 < goals.p50Ms ? 'met' : 'MISSED'}`,
  )
  console.log(
    `goal: at least ${goals.cpuRatio}× less CPU: ${ratio.toFixed(1)}× — ${ratio >= goals.cpuRatio ? 'met' : 'MISSED'}`,
  )
  return [...(p50 < goals.p50Ms ? [] : ['p50']), ...(ratio >= goals.cpuRatio ? [] : ['CPU'])]
}

/** Checks that both give the same numbers. */
async function compareOnce(store: pg.Client, id: string | undefined): Promise<void> {
  const response = (await (await fetch(seriesUrl(id), { headers })).json()) as {
    series: { data: Record<string, number>[] }[]
  }
  const rows = response.series.flatMap(({ data }) => data)
  const plain = await store.query(plainText, [vedette.accountId, id, begin, end])
  if (rows.length !== plain.rows.length) throw new Error(`${rows.length} rows for ${plain.rows.length}`)
  let worst = 0
  // Both are ordered by location and hour, by bytes.
  const expected = plain.rows.toSorted((a, b) =>
    a.location < b.location ? -1 : a.location > b.location ? 1 : a.hour - b.hour,
  )
  for (const [index, row] of rows.entries()) {
    const { percentiles, avg, availability } = expected[index]
    for (const [n, name] of ['p50', 'p95', 'p99'].entries()) {
      worst = Math.max(worst, Math.abs((row[`responseTime_${name}`] ?? 0) / percentiles[n] - 1))
    }
    if (Math.abs((row.availability ?? 0) - availability) > 1e-4) throw new Error('availability is not exact')
    if (Math.abs((row.responseTime_avg ?? 0) / avg - 1) > 1e-5) throw new Error('the average is not exact')
  }
  console.log(
    `${rows.length} rows agree with the results; worst error of a percentile ${(worst * 100).toFixed(2)} %`,
  )
  if (worst > 0.01) throw new Error('a percentile is off by more than 1 %')
}

async function measureReporting(ids: string[]): Promise<string[]> {
  const target = { url: `${vedette.url}/v1/reporting?quickRange=last30Days`, headers }
  const first = (await (await fetch(target.url, { headers })).json()) as { aggregate: { avg: number } }[]
  const isWhole = first.length === ids.length && first.every(({ aggregate }) => aggregate.avg > 0)
  if (!isWhole) throw new Error('the report lacks checks')
  const { latencies } = await load(target, { requests: 10, concurrency: 1 })
  const p50 = median(latencies)
  console.log(
    `goal: reporting of ${ids.length} checks over 30 days under ${goals.reportingMs} ms: p50 ${p50.toFixed(0)} ms — ${p50 < goals.reportingMs ? 'met' : 'MISSED'}`,
  )
  return p50 < goals.reportingMs ? [] : ['reporting']
}
