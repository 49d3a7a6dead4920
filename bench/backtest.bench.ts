// A backtest of alert settings on 43,200 final results: 30 days of one check that runs each minute, as a complete
// request over the API, among the results of other checks. Fresh data directory; server and PostgreSQL on the same cores.
import { createChecks, post } from './api-calls.ts'
import { median } from './load.ts'
import { connectTo, cpuSeconds, postgresOf, startVedette } from './server-process.ts'

const days = 30
const checkCount = 10
const rounds = 5
const goalMs = 1000
const [minuteMs, dayMs] = [60_000, 86_400_000]
const expected = days * 1440

const end = Math.floor(Date.now() / dayMs) * dayMs
const begin = end - days * dayMs

const policies: [string, object][] = [
  ['each failing run', {}],
  ['3 failing runs in a row', { runBasedEscalation: { failedRunThreshold: 3 } }],
  [
    '5 failing minutes, reminders each minute',
    { escalationType: 'TIME_BASED', reminders: { amount: 100_000, interval: 1 } },
  ],
]

interface Figures {
  runs: number
  results: number
  alerts: { failure: number; recovery: number; reminder: number }
}

const vedette = await startVedette({ AGENT: 'off', RESULT_RETENTION_DAYS: '60' })
try {
  const ids = await createChecks(vedette, 'api', checkCount, () => ({
    activated: false,
    locations: ['eu-west-1', 'us-east-1'],
    request: { method: 'GET', url: 'https://example.com' },
  }))
  await fill(ids)
  const missed: string[] = []
  for (const [name, alertSettings] of policies) {
    const ms = await measure(name, alertSettings, ids[Math.floor(checkCount / 2)] as string)
    if (ms >= goalMs) missed.push(name)
  }
  console.log(`goal: ${expected} results in under ${goalMs} ms — ${missed.length === 0 ? 'met' : 'MISSED'}`)
  process.exitCode = missed.length === 0 ? 0 : 1
} finally {
  await vedette.stop()
}

/** In the order of time; about one run in fifty fails, in episodes of one to twenty runs. */
async function fill(ids: string[]): Promise<void> {
  const client = await connectTo(vedette)
  const started = performance.now()
  await client.query('set synchronous_commit = off')
  for (let day = begin; day < end; day += dayMs) {
    const name = `results_${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`
    const [from, to] = [day, day + dayMs].map((instant) => `'${new Date(instant).toISOString()}'`)
    await client.query(
      `create table if not exists ${name} partition of results for values from (${from}) to (${to})`,
    )
    await client.query(
      `insert into results (account_id, check_id, scheduled_at, run_id, attempt, id, check_type, source, result_type, location,
         started_at, stopped_at, created_at, response_time, has_failures, has_errors, is_degraded, is_cancelled,
         over_max_response_time, status_code, metrics)
       select $1, check_id, at, run_id, 1, run_id, 'API', 'schedule', 'FINAL', 'eu-west-1', at,
         at + interval '180 milliseconds', at, 180, (slot + n * 97) % 1000 < (slot / 1000 + n) % 20 + 1, false, false, false,
         false, 200, array[180, 1, 2, 3, 4, 5]::real[]
       from (
         select check_id, n, slot, to_timestamp($3 / 1000.0) + slot * interval '1 minute' + n * interval '37 milliseconds' as at,
           gen_random_uuid() as run_id
         from generate_series($4::int, $4::int + 1439) slot, unnest($2::uuid[]) with ordinality as c (check_id, n)
         order by slot, n
       ) run`,
      [vedette.accountId, ids, begin, (day - begin) / minuteMs],
    )
  }
  await client.query('analyze results')
  await client.end()
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.log(`filled in ${expected * ids.length} results of ${ids.length} checks in ${seconds} s`)
}

async function measure(name: string, alertSettings: object, checkId: string): Promise<number> {
  const body = {
    alertSettings,
    target: { checkId: [checkId] },
    from: new Date(begin).toISOString(),
    to: new Date(end).toISOString(),
  }
  const ask = () => post<{ totals: Figures }>(vedette, '/v1/alert-settings/backtest', body)
  // Warm-up, and a check that the results are right.
  const { totals } = await ask()
  const { failure, recovery, reminder } = totals.alerts
  if (totals.results !== expected || failure === 0 || Math.abs(failure - recovery) > 1) {
    throw new Error(`wrong figures: ${JSON.stringify(totals)}`)
  }
  const used = () => [cpuSeconds([vedette.pid]), cpuSeconds(postgresOf(vedette))]
  const [serverBefore = 0, storeBefore = 0] = used()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const started = performance.now()
    await ask()
    times.push(performance.now() - started)
  }
  const [serverAfter = 0, storeAfter = 0] = used()
  const each = (after: number, before: number) => (((after - before) * 1000) / rounds).toFixed(0)
  console.log(
    `${name.padEnd(42)} median ${median(times).toFixed(0)} ms, most ${Math.max(...times).toFixed(0)} ms; CPU: ` +
      `PostgreSQL ${each(storeAfter, storeBefore)} ms, server (reading rows, deciding) ${each(serverAfter, serverBefore)} ms; ` +
      `${failure} alerts, ${reminder} reminders`,
  )
  return median(times)
}
