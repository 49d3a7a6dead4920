// Claims and ingest with far more checks than two cores can run: what a run costs at full speed, and what saturates.
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createAgentKey, createCheck } from './api-calls.ts'
import type { Closers } from './closers.ts'
import { type MachineTime, machineTime } from './machine-time.ts'
import { memoryOf } from './process-memory.ts'
import { columnsOf, walBytes } from './row-bytes.ts'
import {
  connectTo,
  cpuSeconds,
  postgresOf,
  startProgram,
  startVedette,
  type Vedette,
} from './server-process.ts'

const checks = Number(process.env.BENCH_MANY ?? 100_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 40)
const warmUpSeconds = 30
const agents = 50
/** Above it, a process with one event loop has no time left. */
const saturatedShare = 0.85

interface Sample extends MachineTime {
  at: number
  server: number
  store: number
  fleet: number
  wal: number
  storeTime: string
}

export async function measureMany(
  closers: Closers,
  locations: readonly string[],
  secretKey: string,
): Promise<void> {
  const vedette = await startVedette({ SECRET_KEY: secretKey })
  closers.add(() => vedette.stop())
  const filling = await connectTo(vedette)
  await fillSchedule(vedette, filling, locations)
  await filling.end()
  // The embedded PostgreSQL gets its memory by the number of checks when it starts.
  await vedette.restart()
  const store = await connectTo(vedette)
  closers.add(() => store.end())
  const fleet = await startProgram('./simulated-fleet.ts', {
    COUNT: String(agents),
    SERVER_URLS: vedette.url,
    API_KEY: createAgentKey(vedette, secretKey),
    LOCATIONS: locations.join(','),
  })
  closers.add(() => fleet.stop())
  await sleep(warmUpSeconds * 1000)
  const sample = async (): Promise<Sample> => ({
    at: performance.now() / 1000,
    server: cpuSeconds([vedette.pid]),
    store: cpuSeconds(postgresOf(vedette)),
    fleet: cpuSeconds([fleet.pid]),
    wal: await walBytes(store),
    ...machineTime(),
    storeTime:
      (await store.query<{ now: string }>('select clock_timestamp()::text as now')).rows[0]?.now ?? '',
  })
  const before = await sample()
  await sleep(seconds * 1000)
  const after = await sample()
  const { rows } = await store.query<{ runs: number }>(
    `select count(*)::int as runs from results where created_at >= $1 and created_at < $2`,
    [before.storeTime, after.storeTime],
  )
  print(vedette, before, after, rows[0]?.runs ?? 0)
}

function print(vedette: Vedette, before: Sample, after: Sample, runs: number): void {
  const elapsed = after.at - before.at
  const share = (part: 'server' | 'store' | 'fleet' | 'idleSeconds' | 'stolenSeconds') =>
    (after[part] - before[part]) / elapsed
  const micros = (part: 'server' | 'store' | 'fleet') =>
    (((after[part] - before[part]) / runs) * 1e6).toFixed(0)
  const [perSecond, wanted] = [runs / elapsed, checks / 60]
  console.log(
    `${checks.toLocaleString('en')} checks a minute, ${agents} simulated agents, one server: ${perSecond.toFixed(0)} runs/s of ${wanted.toFixed(0)} wanted`,
  )
  console.log(
    `  CPU of a run: server ${micros('server')} µs, PostgreSQL ${micros('store')} µs (simulated agents ${micros('fleet')} µs); WAL ${((after.wal - before.wal) / runs).toFixed(0)} bytes`,
  )
  console.log(
    `  cores in use: server ${share('server').toFixed(2)}, PostgreSQL ${share('store').toFixed(2)}, agents ${share('fleet').toFixed(2)}, free ${share('idleSeconds').toFixed(2)}, taken by other machines ${share('stolenSeconds').toFixed(2)}; WAL ${((after.wal - before.wal) / elapsed / 1e6).toFixed(1)} MB/s`,
  )
  console.log(
    `  memory: server ${memoryOf([vedette.pid]).pssMb.toFixed(0)} MB, PostgreSQL ${memoryOf(postgresOf(vedette)).pssMb.toFixed(0)} MB`,
  )
  console.log(`  saturated: ${saturatedPart(perSecond / wanted, share('server'), share('idleSeconds'))}`)
}

function saturatedPart(reached: number, serverShare: number, idleShare: number): string {
  if (reached >= 0.95) return 'nothing'
  if (serverShare >= saturatedShare) return 'the event loop of the server'
  return idleShare < 0.1 * availableParallelism()
    ? 'the cores of this machine'
    : 'the disk, or locks in PostgreSQL'
}

/** Copies one check by SQL: through the API it would take minutes. All slots are spread over a minute. */
async function fillSchedule(vedette: Vedette, store: pg.Client, locations: readonly string[]): Promise<void> {
  const id = await createCheck(vedette, 'url', {
    name: 'Template',
    frequency: 1,
    locations: [locations[0]],
    request: { url: 'http://127.0.0.1/' },
  })
  await store.query('set synchronous_commit = off')
  await store.query(
    `create temp table filled as select n, gen_random_uuid() as id, ($1::text[])[n % $2 + 1] as location from generate_series(2, $3) n`,
    [locations, locations.length, checks],
  )
  await copyRows(store, 'checks', 'id', id, {
    id: 'f.id',
    name: `'Check ' || f.n`,
    locations: 'array[f.location]',
  })
  const phase = `(f.n * 7919) % 60000`
  const thisMinute = `date_trunc('minute', now()) + ${phase} * interval '1 millisecond'`
  const slot = `${thisMinute} + case when ${thisMinute} < now() then interval '1 minute' else interval '0' end`
  await copyRows(store, 'schedule', 'check_id', id, {
    check_id: 'f.id',
    locations: 'array[f.location]',
    queues: 'array[f.location]',
    location: 'f.location',
    queue: 'f.location',
    phase_ms: phase,
    slot_at: slot,
    due_at: slot,
  })
  await store.query('reset synchronous_commit')
  await store.query('vacuum analyze checks, schedule')
}

async function copyRows(
  store: pg.Client,
  table: string,
  key: string,
  template: string,
  own: Record<string, string>,
): Promise<void> {
  const columns = await columnsOf(store, table)
  await store.query(
    `insert into ${table} (${columns.join(', ')})
     select ${columns.map((name) => own[name] ?? `t.${name}`).join(', ')} from ${table} t, filled f where t.${key} = $1`,
    [template],
  )
}
