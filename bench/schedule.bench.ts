// 10,000 URL monitors that run every minute on one machine: server, embedded store, built-in agent, and a counting target.
// Measures completeness, start lag and cost, then the memory of an agent with 500 TLS runs in flight.
// npm run bench -- schedule [checks] [minutes] [warm-up seconds]; 0 checks: only the memory.
import { measureAgentMemory } from './agent-memory.ts'
import { createChecks, headersOf } from './api-calls.ts'
import { Closers } from './closers.ts'
import { memoryOf, memoryText } from './process-memory.ts'
import {
  builtInAgentOf,
  cpuSeconds,
  freePort,
  postgresOf,
  startProgram,
  startVedette,
  type Vedette,
} from './server-process.ts'
import { startLag } from './start-lag.ts'

const [checks = 10_000, minutes = 3, warmUpSeconds = 75] = process.argv.slice(2).map(Number)
const periodMs = 60_000
const goals = { lagP99Ms: 1000, cores: 1, agentMb: 300 }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const closers = new Closers()
try {
  const missed = checks > 0 ? await measureSchedule() : []
  await closers.close()
  const peakMb = await measureAgentMemory(closers, { inFlight: 500, waves: 10 })
  console.log(`goal: under ${goals.agentMb} MB`)
  if (peakMb >= goals.agentMb) missed.push(`agent memory ${peakMb.toFixed(0)} MB`)
  console.log(missed.length === 0 ? 'all goals met' : `MISSED: ${missed.join(', ')}`)
  process.exitCode = missed.length === 0 ? 0 : 1
} finally {
  await closers.close()
}

async function measureSchedule(): Promise<string[]> {
  const [targetPort, tellerPort] = [await freePort(), await freePort()]
  const target = await startProgram('./counting-target.ts', {
    TARGET_PORT: String(targetPort),
    TELLER_PORT: String(tellerPort),
  })
  closers.add(() => target.stop())
  const vedette = await startVedette({ AGENT: 'on', AGENT_HEALTH_PORT: '0' })
  closers.add(() => vedette.stop())
  const begin = performance.now()
  await createChecks(vedette, 'url', checks, (index) => ({
    frequency: 1,
    locations: ['eu-west-1', 'us-east-1'],
    request: {
      method: 'GET',
      url: `http://127.0.0.1:${targetPort}/${index}`,
      assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
    },
  }))
  console.log(`${checks} checks created in ${((performance.now() - begin) / 1000).toFixed(0)} s, warming up`)
  await pause(warmUpSeconds * 1000)
  return watch(vedette, `http://127.0.0.1:${tellerPort}`)
}

interface Counts {
  paths: number
  requests: number
  shortestGapMs: number
  longestGapMs: number
}

async function watch(vedette: Vedette, countsUrl: string): Promise<string[]> {
  const parts: Record<string, () => number[]> = {
    server: () => [vedette.pid],
    agent: () => [builtInAgentOf(vedette)],
    PostgreSQL: () => postgresOf(vedette),
  }
  const cpu = () =>
    Object.fromEntries(Object.entries(parts).map(([name, pids]) => [name, cpuSeconds(pids())]))
  const readCounts = async () => (await (await fetch(countsUrl)).json()) as Counts
  const lagBefore = await startLag(vedette.url)
  await readCounts()
  const [cpuBefore, begin] = [cpu(), performance.now()]
  await pause(minutes * periodMs)
  const [cpuAfter, seconds] = [cpu(), (performance.now() - begin) / 1000]
  const counted = await readCounts()
  const lag = (await startLag(vedette.url)).since(lagBefore)

  const problems: string[] = []
  let cores = 0
  for (const [name, pids] of Object.entries(parts)) {
    const share = ((cpuAfter[name] ?? 0) - (cpuBefore[name] ?? 0)) / seconds
    cores += share
    const each = ((share * seconds) / counted.requests) * 1e6
    console.log(
      `${name.padEnd(10)} ${(share * 100).toFixed(1).padStart(5)} % of a core, ${each.toFixed(0).padStart(4)} µs a run, ${memoryText(memoryOf(pids()))}`,
    )
  }
  console.log(
    `together   ${(cores * 100).toFixed(1).padStart(5)} % of a core (goal: under ${goals.cores * 100} %)`,
  )
  if (cores >= goals.cores) problems.push(`${(cores * 100).toFixed(0)} % of a core`)

  console.log(
    `start lag  p50 ${lag.quantile(0.5)}, p99 ${lag.quantile(0.99)} over ${lag.count} runs (goal: p99 under 1 s)`,
  )
  if (lag.shareUpTo(goals.lagP99Ms / 1000) < 0.99) problems.push(`p99 start lag ${lag.quantile(0.99)}`)

  // Each check has one slot per period; at the edges, one run more or less may fall into the measurement.
  const expected = checks * minutes
  console.log(
    `target     ${counted.requests} requests of ${expected}, from ${(counted.shortestGapMs / 1000).toFixed(1)} to ` +
      `${(counted.longestGapMs / 1000).toFixed(1)} s between those of a check, ${counted.paths} checks seen`,
  )
  if (counted.paths !== checks) problems.push(`${checks - counted.paths} checks never ran`)
  if (counted.longestGapMs > 1.5 * periodMs) problems.push('a run was left out')
  if (counted.shortestGapMs < 0.5 * periodMs) problems.push('a run ran twice')

  const coverage = await coverageOf(vedette)
  console.log(
    `coverage   ${coverage.executed} executed, ${coverage.skipped} skipped, ${coverage.missed} missed since the first check; worst lag ${coverage.worstLagMs} ms`,
  )
  if (coverage.missed + coverage.skipped > 0)
    problems.push(`${coverage.missed} runs missed, ${coverage.skipped} skipped`)
  return problems
}

async function coverageOf(vedette: Vedette) {
  const sum = { executed: 0, skipped: 0, missed: 0, worstLagMs: 0 }
  for (let page = 1; page <= Math.ceil(checks / 100); page++) {
    const response = await fetch(`${vedette.url}/v1/coverage?limit=100&page=${page}`, {
      headers: headersOf(vedette),
    })
    const rows = (await response.json()) as {
      totals: { executed: number; skipped: number; missed: number; lag: { max: number } | null }
    }[]
    for (const { totals } of rows) {
      sum.executed += totals.executed
      sum.skipped += totals.skipped
      sum.missed += totals.missed
      sum.worstLagMs = Math.max(sum.worstLagMs, totals.lag?.max ?? 0)
    }
  }
  return sum
}
