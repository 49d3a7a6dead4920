// Bytes on disk of a result and of its details, by type of check: real runs of an agent, copied by SQL until pages are full.
// npm run bench -- storage. BENCH_COPIES (20000) shortens it. Types that need a browser: BENCH_CODE=on.
import type pg from 'pg'
import { createCheck, runCheck } from './api-calls.ts'
import { Closers } from './closers.ts'
import { connectTo, freePort, startProgram, startVedette } from './server-process.ts'

const copies = Number(process.env.BENCH_COPIES ?? 20_000)
const goalBytes = 150
const dayMs = 86_400_000
/** The defaults of RESULT_RETENTION_DAYS and DETAIL_RETENTION_DAYS; details of all passing runs are kept for a day. */
const keptDays = { results: 30, details: 7, allDetails: 1 }
const samplePercent = Number(process.env.DETAIL_SAMPLE_PERCENT ?? 5)

interface Measured {
  type: string
  resultBytes: number
  detailBytes: number
}

const closers = new Closers()
try {
  process.exitCode = (await measure()) ? 0 : 1
} finally {
  await closers.close()
}

async function measure(): Promise<boolean> {
  const port = await freePort()
  const target = await startProgram('./probe-target.ts', {
    PLAIN_PORT: String(port),
    TLS_PORT: String(await freePort()),
  })
  closers.add(() => target.stop())
  const vedette = await startVedette({ AGENT: 'on', AGENT_HEALTH_PORT: '0' })
  closers.add(() => vedette.stop())
  const store = await connectTo(vedette)
  closers.add(() => store.end())
  await store.query('set synchronous_commit = off')
  const measured: Measured[] = []
  // One after the other: each has partitions of a day of its own.
  for (const [index, [type, body]] of Object.entries(checksOf(port)).entries()) {
    const check = { name: `Bench ${type}`, frequency: 1440, locations: ['eu-west-1'], ...body }
    const checkId = await createCheck(vedette, type, check)
    const status = await runCheck(vedette, checkId)
    if (status !== 'PASSED') throw new Error(`a run that should pass has the status ${status}`)
    measured.push({ type, ...(await fillDay(store, checkId, index)) })
  }
  console.log(`${copies} copies of a real result, with indexes, in bytes each:`)
  for (const sizes of measured) {
    console.log(
      `${sizes.type.padEnd(10)} result ${text(sizes.resultBytes)}  detail ${text(sizes.detailBytes)}  per passing result: first day ${text(sizes.resultBytes + sizes.detailBytes)}, older ${text(averageOf(sizes))}`,
    )
  }
  const olderDays = `days ${keptDays.allDetails + 1} to ${keptDays.results}`
  console.log(
    `older: average of ${olderDays}, with details of ${samplePercent} % (DETAIL_SAMPLE_PERCENT) until day ${keptDays.details}`,
  )
  const url = measured.find(({ type }) => type === 'url')
  const isMet = url !== undefined && averageOf(url) <= goalBytes
  console.log(
    `goal: at most ${goalBytes} for passing URL results older than a day, sampled details included — ${isMet ? 'met' : 'MISSED'}`,
  )
  return isMet
}

/** Of a passing result that is older than a day, over the time that it is kept. */
function averageOf({ resultBytes, detailBytes }: Omit<Measured, 'type'>): number {
  const { results, details, allDetails } = keptDays
  return resultBytes + (detailBytes * (samplePercent / 100) * (details - allDetails)) / (results - allDetails)
}

function text(bytes: number): string {
  return bytes.toFixed(0).padStart(6)
}

function checksOf(port: number): Record<string, object> {
  const url = `http://127.0.0.1:${port}/`
  const script = `const { test } = require('@playwright/test')
test('opens a page', async ({ page }) => { await page.goto('${url}') })`
  return {
    url: { request: { url } },
    api: { request: { method: 'GET', url } },
    tcp: { request: { hostname: '127.0.0.1', port } },
    icmp: { request: { hostname: '127.0.0.1' } },
    ...(process.env.BENCH_CODE === 'on' && { browser: { script } }),
  }
}

/** Copies the only result of the check into a past day, and measures that day. */
async function fillDay(
  store: pg.Client,
  checkId: string,
  index: number,
): Promise<{ resultBytes: number; detailBytes: number }> {
  const start = (Math.floor(Date.now() / dayMs) - 3 - index) * dayMs
  // The keys of both tables must be those of the same runs.
  await store.query(
    `create temp table copied as select gen_random_uuid() as run_id, to_timestamp($1::float8 / 1000) + n * interval '1 day' / $2 as scheduled_at
     from generate_series(0, $2 - 1) n`,
    [start, copies],
  )
  const bytes = []
  for (const table of ['results', 'result_details']) bytes.push(await copyInto(store, table, checkId, start))
  await store.query('drop table copied')
  return { resultBytes: bytes[0] ?? 0, detailBytes: bytes[1] ?? 0 }
}

async function copyInto(store: pg.Client, table: string, checkId: string, start: number): Promise<number> {
  const name = `${table}_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`
  const [from, to] = [start, start + dayMs].map((instant) => new Date(instant).toISOString())
  await store.query(`create table ${name} partition of ${table} for values from ('${from}') to ('${to}')`)
  const { rows } = await store.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
    [table],
  )
  const columns = rows.map((column) => column.name)
  const ownColumns: Record<string, string> = {
    run_id: 'c.run_id',
    scheduled_at: 'c.scheduled_at',
    id: 'gen_random_uuid()',
    started_at: 'c.scheduled_at + (t.started_at - t.scheduled_at)',
    stopped_at: 'c.scheduled_at + (t.stopped_at - t.scheduled_at)',
    // As a scheduled run has it.
    check_session_id: 'null',
    source: "'schedule'",
  }
  await store.query(
    `insert into ${name} (${columns.join(', ')})
     select ${columns.map((column) => ownColumns[column] ?? `t.${column}`).join(', ')} from ${table} t, copied c where t.check_id = $1
     order by c.scheduled_at`,
    [checkId],
  )
  await store.query(`vacuum ${name}`)
  const size = await store.query<{ bytes: number; total: number }>(
    `select pg_total_relation_size('${name}')::int as bytes, (select count(*) from ${name})::int as total`,
  )
  const { bytes = 0, total = 0 } = size.rows[0] ?? {}
  // Few results have no details.
  return total === 0 ? 0 : bytes / copies
}
