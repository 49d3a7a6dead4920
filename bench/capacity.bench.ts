// What a run of each type of check costs: CPU of agent, server and PostgreSQL, bytes on disk and on the network; and the memory of
// each process. Real agents, runs and SQL. Writes the figures that `vedette capacity` and docs/scaling.md use: run
// `npm run generate` afterwards. CPU is counted, not time, so a busy machine changes little.
// All checks of a type are due at once, some times over: figures are those at full speed, when claims and reports are large.
// npm run bench -- capacity [type…]. With types it only prints. BENCH_CHECKS (200), BENCH_CODE_CHECKS (4) and BENCH_ROUNDS (5) shorten it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { type AgentProcess, startAgent } from './agent-process.ts'
import { createAgentKey, createCheck } from './api-calls.ts'
import { type MeasuredType, measuredTypes } from './capacity-checks.ts'
import { startTargets, type Targets } from './capacity-targets.ts'
import { authority } from './certificates.ts'
import { Closers } from './closers.ts'
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts'
import { median } from './load.ts'
import { ProcessCpu, sumOf } from './process-cpu.ts'
import { memoryOf } from './process-memory.ts'
import { artifactBytesPerRun, bytesPerRow, columnsOf, detailTableOf, walBytes } from './row-bytes.ts'
import { childrenOf, cpuSeconds, postgresOf, startVedette, type Vedette } from './server-process.ts'
import { connectTo } from './web-data.ts'

const wanted = process.argv.slice(2).map((name) => name.toUpperCase())
const checks = Number(process.env.BENCH_CHECKS ?? 200)
const codeChecks = Number(process.env.BENCH_CODE_CHECKS ?? 4)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const longestRoundMs = 600_000
const idleSeconds = 20
const pings = 500
const hourMs = 3_600_000
const runsPerHour = 60
const secretKey = 'a secret key of this bench only'

interface Stage {
  vedette: Vedette
  store: pg.Client
  agent: AgentProcess
  link: CountingProxy
  targets: Targets
}

/** Of a moment, to subtract from that of another one. */
interface Counters {
  at: number
  agent: number
  server: number
  store: number
  wal: number
  link: number
  target: number
}

/** CPU without load, as a share of a core. */
type Idle = Record<'agent' | 'server' | 'store', number>

interface TypeFigures {
  agentMicros: number
  serverMicros: number
  storeMicros: number
  resultBytes: number
  detailBytes: number
  artifactBytes: number
  walBytes: number
  linkBytes: number
  targetBytes: number | null
  runSeconds: number
}

const closers = new Closers()
try {
  await measure()
} finally {
  await closers.close()
}

async function measure(): Promise<void> {
  const stage = await openStage()
  const types = measuredTypes(stage.targets).filter(
    ({ type }) => wanted.length === 0 || wanted.includes(type),
  )
  // Warm-up: code compiled, plans cached, connections open.
  for (const one of types.slice(-1)) await measureType(stage, one, { agent: 0, server: 0, store: 0 })
  const idle = await measureIdle(stage)
  console.log(
    `idle: agent ${percent(idle.agent)}, server ${percent(idle.server)}, PostgreSQL ${percent(idle.store)} of a core`,
  )
  const emptyMb = memoryOfParts(stage)
  const figures: Record<string, TypeFigures> = {}
  let codeRunMb = 0
  for (const one of types) {
    const { peakMb, ...measured } = await measureType(stage, one, idle)
    console.log(line(one.type, measured))
    if (one.isCode) codeRunMb = Math.max(codeRunMb, peakMb)
    figures[one.type] = measured
  }
  replaceUncertain(figures, types)
  const rollup = await measureRollup(stage, idle)
  console.log(`rollup of a check and hour: ${JSON.stringify(rollup)}`)
  if (wanted.length > 0 && !wanted.includes('HEARTBEAT')) return
  figures.HEARTBEAT = await measurePings(stage, idle)
  console.log(line('HEARTBEAT', figures.HEARTBEAT))
  const busyMb = memoryOfParts(stage)
  const memory = {
    serverMb: round(Math.max(emptyMb.server, busyMb.server)),
    agentMb: round(Math.max(emptyMb.agent, busyMb.agent)),
    postgresMb: round(Math.max(emptyMb.store, busyMb.store)),
    codeRunMb: round(codeRunMb),
  }
  console.log(`memory: ${JSON.stringify(memory)}`)
  if (wanted.length > 0) return
  write({ measured: await circumstances(stage), idle: rounded(idle), memory, rollup, types: figures })
}

async function openStage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-capacity-'))
  closers.add(() => rmSync(folder, { recursive: true, force: true }))
  const ca = join(folder, 'authority.pem')
  writeFileSync(ca, authority)
  const targets = await startTargets(closers)
  const vedette = await startVedette({ SECRET_KEY: secretKey, DETAIL_SAMPLE_PERCENT: '100' })
  closers.add(() => vedette.stop())
  const store = await connectTo(vedette)
  closers.add(() => store.end())
  const link = await startCountingProxy(Number(new URL(vedette.url).port))
  closers.add(() => link.close())
  const agent = await startAgent({
    API_KEY: createAgentKey(vedette, secretKey),
    SERVER_URL: `http://127.0.0.1:${link.port}`,
    AGENT_LOCATIONS: 'eu-west-1',
    JOB_CONCURRENCY: '2',
    NODE_EXTRA_CA_CERTS: ca,
  })
  closers.add(() => agent.stop())
  return { vedette, store, agent, link, targets }
}

/** `tree`: the processes of an agent that runs code. */
async function readCounters(stage: Stage, tree: ProcessCpu | null = null): Promise<Counters> {
  const { vedette, store, agent, link, targets } = stage
  return {
    at: performance.now() / 1000,
    agent: tree === null ? cpuSeconds([agent.pid]) : sumOf(tree.read()) / 1000,
    server: cpuSeconds([vedette.pid]),
    store: cpuSeconds(postgresOf(vedette)),
    wal: await walBytes(store),
    link: link.bytes(),
    target: targets.bytes(),
  }
}

async function measureIdle(stage: Stage): Promise<Idle> {
  await stage.store.query('delete from checks')
  await sleep(5_000)
  const before = await readCounters(stage)
  await sleep(idleSeconds * 1000)
  const after = await readCounters(stage)
  const share = (part: keyof Idle) => (after[part] - before[part]) / (after.at - before.at)
  return { agent: share('agent'), server: share('server'), store: share('store') }
}

async function measureType(
  stage: Stage,
  one: MeasuredType,
  idle: Idle,
): Promise<TypeFigures & { peakMb: number }> {
  const { store, vedette, agent } = stage
  await store.query('delete from checks')
  // Its own slots must not be part of the measurement.
  const body = { frequency: 1440, ...one.body }
  const ids = await createChecks(vedette, one.path, body, one.isCode ? codeChecks : checks)
  // Warm-up: code compiled, plans cached, the host of a script started.
  await runAll(store, ids)
  const peak = one.isCode ? watchLargestRun(agent.pid) : null
  const tree = one.isCode ? new ProcessCpu(agent.pid, () => 'agent') : null
  const before = await readCounters(stage, tree)
  let [runs, runSeconds] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const done = await runAll(store, ids)
    runs += done.runs
    runSeconds += done.runSeconds / rounds
  }
  // A code run ends after its result is reported.
  if (one.isCode) await sleep(3_000)
  const after = await readCounters(stage, tree)
  tree?.stop()
  return {
    ...costOf(before, after, runs, idle, one),
    ...(await diskOf(store, ids)),
    runSeconds,
    peakMb: peak?.stop() ?? 0,
  }
}

/** Servers and PostgreSQL do the same for results of all types: those of slow types get the median of the others. */
function replaceUncertain(figures: Record<string, TypeFigures>, types: readonly MeasuredType[]): void {
  const ofTypes = (isSlow: boolean) =>
    types.flatMap((one) => (one.isSlow === isSlow ? (figures[one.type] ?? []) : []))
  const serverMicros = median(ofTypes(false).map((one) => one.serverMicros))
  const storeMicros = median(ofTypes(false).map((one) => one.storeMicros))
  for (const one of ofTypes(true)) Object.assign(one, { serverMicros, storeMicros })
}

/** Makes all of them due now, and waits for their results. */
async function runAll(store: pg.Client, ids: string[]): Promise<{ runs: number; runSeconds: number }> {
  const { rows: began } = await store.query<{ now: string }>(
    `update schedule set slot_at = date_trunc('milliseconds', now()), due_at = date_trunc('milliseconds', now())
     where check_id = any($1) returning now()::text as now`,
    [ids],
  )
  const until = performance.now() + longestRoundMs
  for (;;) {
    const { rows } = await store.query<{ runs: number; bad: string | null; runSeconds: number }>(
      `select count(*)::int as runs, avg(extract(epoch from stopped_at - started_at))::float8 as "runSeconds",
         min(check_type || ': ' || coalesce(failure_message, 'an error')) filter (where (has_failures or has_errors) and not over_max_response_time) as bad
       from results where check_id = any($1) and scheduled_at >= date_trunc('milliseconds', $2::timestamptz)`,
      [ids, began[0]?.now],
    )
    const { runs = 0, bad = null, runSeconds = 0 } = rows[0] ?? {}
    // Failed runs would be too cheap; slow ones are not.
    if (bad !== null) throw new Error(`a run failed: ${bad}`)
    if (runs >= ids.length) return { runs, runSeconds }
    if (performance.now() > until) throw new Error(`only ${runs} of ${ids.length} runs were made`)
    await sleep(200)
  }
}

function costOf(
  before: Counters,
  after: Counters,
  runs: number,
  idle: Idle,
  one: { countsTargetBytes: boolean },
) {
  const elapsed = after.at - before.at
  const micros = (part: keyof Idle) =>
    Math.max(0, ((after[part] - before[part] - idle[part] * elapsed) / runs) * 1e6)
  return {
    agentMicros: micros('agent'),
    serverMicros: micros('server'),
    storeMicros: micros('store'),
    walBytes: (after.wal - before.wal) / runs,
    linkBytes: (after.link - before.link) / runs,
    targetBytes: one.countsTargetBytes ? (after.target - before.target) / runs : null,
  }
}

async function diskOf(store: pg.Client, ids: string[]) {
  const details = await detailTableOf(store, ids)
  return {
    resultBytes: await bytesPerRow(store, 'results', 'check_id = any($1)', [ids]),
    detailBytes: details === null ? 0 : await bytesPerRow(store, details, 'check_id = any($1)', [ids]),
    artifactBytes: await artifactBytesPerRun(store, ids),
  }
}

/** Copies results into hours that are over, and waits until the server has rolled them up. */
async function measureRollup(stage: Stage, idle: Idle) {
  const { store } = stage
  const hours = Array.from(
    { length: 6 },
    (_, n) => new Date((Math.floor(Date.now() / hourMs) - 2 - n) * hourMs),
  )
    // The results of a day are in its partition.
    .filter((hour) => hour.getUTCDate() === new Date().getUTCDate())
  if (hours.length === 0) throw new Error('two hours of this day (UTC) must be over')
  const columns = await columnsOf(store, 'results')
  const instant = `h + n * interval '1 hour' / ${runsPerHour}`
  const own: Record<string, string> = {
    ...{ scheduled_at: instant, started_at: instant, stopped_at: instant },
    ...{ run_id: 'gen_random_uuid()', id: 'gen_random_uuid()' },
  }
  await store.query(
    `insert into results (${columns.join(', ')})
     select ${columns.map((name) => own[name] ?? `t.${name}`).join(', ')}
     from (select distinct on (r.check_id) r.* from results r join checks c on c.id = r.check_id) t,
       unnest($1::timestamptz[]) h, generate_series(0, ${runsPerHour - 1}) n`,
    [hours],
  )
  // No run may be in progress, or it would count.
  await store.query('delete from schedule')
  await sleep(5_000)
  const before = await readCounters(stage)
  const marked = await store.query(
    `insert into rollup_pending (account_id, check_id, hour) select account_id, id, h from checks, unnest($1::timestamptz[]) h`,
    [hours],
  )
  const count = marked.rowCount ?? 0
  for (;;) {
    const { rows } = await store.query<{ left: number }>(
      'select count(*)::int as left from rollup_pending where hour = any($1)',
      [hours],
    )
    if (rows[0]?.left === 0) break
    await sleep(1_000)
  }
  const after = await readCounters(stage)
  const elapsed = after.at - before.at
  const micros = (part: keyof Idle) =>
    round(Math.max(0, ((after[part] - before[part] - idle[part] * elapsed) / count) * 1e6))
  return {
    serverMicros: micros('server'),
    storeMicros: micros('store'),
    hourBytes: round(
      (await bytesPerRow(store, 'rollups', "grain = 'hour'", [], 'bucket_at')) +
        (await bytesPerRow(store, 'coverage', 'hour = any($1)', [hours], 'hour')),
    ),
    dayBytes: round(await bytesPerRow(store, 'rollups', "grain = 'day'", [], 'bucket_at')),
  }
}

/** Pings of heartbeat monitors, as jobs send them. */
async function measurePings(stage: Stage, idle: Idle): Promise<TypeFigures> {
  const { store, vedette, link } = stage
  await store.query('delete from checks')
  const body = { heartbeat: { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' } }
  const ids = await createChecks(vedette, 'heartbeat', body, 50)
  const { rows } = await store.query<{ token: string }>('select ping_token as token from checks')
  const before = await readCounters(stage)
  for (let sent = 0; sent < pings; sent++) {
    const token = rows[sent % rows.length]?.token
    const response = await fetch(`http://127.0.0.1:${link.port}/ping/${token}`)
    if (!response.ok) throw new Error(`a ping got status ${response.status}: ${await response.text()}`)
    await response.arrayBuffer()
  }
  const after = await readCounters(stage)
  return {
    ...costOf(before, after, pings, idle, { countsTargetBytes: false }),
    agentMicros: 0,
    resultBytes: await bytesPerRow(store, 'heartbeat_events', 'check_id = any($1)', [ids], 'occurred_at'),
    detailBytes: 0,
    artifactBytes: 0,
    runSeconds: 0,
  }
}

/** The peak memory of the largest run, with all its processes. */
function watchLargestRun(agent: number): { stop(): number } {
  let peak = 0
  const timer = setInterval(() => {
    for (const cell of childrenOf(agent))
      peak = Math.max(peak, memoryOf([cell, ...descendantsOf(cell)]).pssMb)
  }, 250)
  return {
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)])
}

function memoryOfParts({ vedette, agent }: Stage): Record<keyof Idle, number> {
  const mb = (pids: number[]) => memoryOf(pids).pssMb
  return { agent: mb([agent.pid]), server: mb([vedette.pid]), store: mb(postgresOf(vedette)) }
}

async function createChecks(vedette: Vedette, path: string, body: object, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count) {
    ids.push(
      await createCheck(vedette, path, {
        name: `Check ${ids.length}`,
        ...(path !== 'heartbeat' && { locations: ['eu-west-1'], doubleCheck: false, retryStrategy: null }),
        ...body,
      }),
    )
  }
  return ids
}

async function circumstances({ store }: Stage) {
  const { rows } = await store.query<{ version: string }>(
    `select current_setting('server_version') as version`,
  )
  return {
    on: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    /** Processes that wanted a core, over 15 minutes: figures of a busy machine are somewhat too high. */
    load: round(loadavg()[2] ?? 0, 1),
    node: process.version,
    postgres: rows[0]?.version ?? '',
    batch: checks,
  }
}

function write(figures: { types: Record<string, TypeFigures>; [part: string]: object }): void {
  const types = Object.fromEntries(
    Object.entries(figures.types).map(([type, measured]) => [type, rounded(measured)]),
  )
  const text = [
    '// Written by npm run bench -- capacity; do not edit.',
    "import type { CapacityFigures } from './model.ts'",
    '',
    `export const capacityFigures: CapacityFigures = ${JSON.stringify({ ...figures, types }, null, 2)}`,
    '',
  ].join('\n')
  writeFileSync(
    fileURLToPath(new URL('../packages/server/src/operate/capacity/figures.generated.ts', import.meta.url)),
    text,
  )
  console.log('written; run npm run generate')
}

function rounded(values: object): Record<string, number | null> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      value === null ? null : round(value, value < 10 ? 3 : 0),
    ]),
  )
}

function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits))
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function line(type: string, figures: TypeFigures): string {
  return `${type.padEnd(11)} ${Object.entries(rounded(figures))
    .map(([name, value]) => `${name} ${value ?? '-'}`)
    .join(', ')}`
}
