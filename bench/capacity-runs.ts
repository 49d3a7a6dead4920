// What a run of a check costs, and a ping of a heartbeat monitor.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunFigures } from '@vedette/server/capacity-figures'
import type pg from 'pg'
import { createChecks } from './api-calls.ts'
import type { MeasuredType } from './capacity-checks.ts'
import { type Counters, cpuMicros, type Idle, readCounters, type Stage } from './capacity-stage.ts'
import { ProcessCpu } from './process-cpu.ts'
import { memoryOf } from './process-memory.ts'
import { artifactBytesPerRun, bytesPerRow, detailTableOf } from './row-bytes.ts'
import { childrenOf } from './server-process.ts'

const longestRoundMs = 600_000
const pings = 500

export async function measureType(
  stage: Stage,
  one: MeasuredType,
  idle: Idle,
  { checks, rounds }: { checks: number; rounds: number },
): Promise<RunFigures & { peakMb: number }> {
  const { store, vedette, agent } = stage
  await store.query('delete from checks')
  // Its own slots must not be part of the measurement.
  const ids = await createChecks(vedette, one.path, checks, () => ({
    frequency: 1440,
    locations: ['eu-west-1'],
    doubleCheck: false,
    retryStrategy: null,
    ...one.body,
  }))
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
    ...costOf(before, after, runs, idle, one.countsTargetBytes),
    ...(await diskOf(store, ids)),
    runSeconds,
    peakMb: peak?.stop() ?? 0,
  }
}

/** Pings of heartbeat monitors, as jobs send them. */
export async function measurePings(stage: Stage, idle: Idle): Promise<RunFigures> {
  const { store, vedette, link } = stage
  await store.query('delete from checks')
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' }
  const ids = await createChecks(vedette, 'heartbeat', 50, () => ({ heartbeat }))
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
    ...costOf(before, after, pings, idle, false),
    agentMicros: 0,
    resultBytes: await bytesPerRow(store, 'heartbeat_events', 'check_id = any($1)', [ids], 'occurred_at'),
    detailBytes: 0,
    artifactBytes: 0,
    runSeconds: 0,
  }
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

function costOf(before: Counters, after: Counters, runs: number, idle: Idle, countsTargetBytes: boolean) {
  const micros = cpuMicros(before, after, runs, idle)
  return {
    agentMicros: micros.agent,
    serverMicros: micros.server,
    storeMicros: micros.store,
    walBytes: (after.wal - before.wal) / runs,
    linkBytes: (after.link - before.link) / runs,
    targetBytes: countsTargetBytes ? (after.target - before.target) / runs : null,
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
