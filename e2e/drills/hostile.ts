// Healthy checks and hostile targets on one agent: how hostile targets affect the measurements of healthy ones.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../free-port.ts'
import { type AgentUsage, watchAgent } from './agent-usage.ts'
import { createAgentKey, type Program, pause, startAgent, startServer } from './fleet.ts'
import { type Api, call } from './load.ts'

export interface HostileOptions {
  healthy: number
  hostile: number
  rounds: number
  roundMs: number
  log(line: string): void
}

export interface Phase {
  name: string
  usage: AgentUsage
  small: ResponseTimes
  page: ResponseTimes
  lag: { p50: number; p99: number }
  runs: number
  failed: number
  /** Slots without a result, whatever the reason. */
  notRun: number
}

interface ResponseTimes {
  p50: number
  p95: number
}

const region = 'eu-west-1'
const periodMs = 10_000
const settleMs = 40_000
const manners = ['never', 'drip', 'endless', 'bomb', 'reset', 'redirect']

export async function hostileDrill(options: HostileOptions): Promise<Phase[]> {
  const { log } = options
  const home = mkdtempSync(join(tmpdir(), 'vedette-hostile-'))
  const targets = [await startTarget('healthy'), await startTarget('hostile')] as const
  const running: Program[] = []
  try {
    const port = String(await freePort())
    const environment = { PORT: port, DATA_DIR: join(home, 'data') }
    const server = await startServer(environment)
    running.push(server)
    if (server.first === null) throw new Error('the data directory was not new')
    const api: Api = { url: () => `http://127.0.0.1:${port}`, ...server.first }
    const healthPort = await freePort()
    const agent = startAgent({
      API_KEY: await createAgentKey(environment),
      SERVER_URL: api.url(),
      AGENT_LOCATIONS: region,
      AGENT_DATA_DIR: join(home, 'agent'),
      AGENT_HEALTH_PORT: String(healthPort),
    })
    running.push(agent)
    const checks = await createHealthy(api, targets[0].url, options.healthy)
    log(`${checks.length} healthy checks every 10 s`)
    await pause(25_000)
    const spans: Span[] = []
    const measure = async (name: string) => {
      const watch = watchAgent(agent.pid, healthPort)
      const from = Date.now()
      await pause(options.roundMs)
      spans.push({ name, from, to: Date.now(), usage: await watch.stop() })
      log(`${name} is over`)
    }
    await measure('quiet')
    const hostile = await createHostile(api, targets[1].url, options.hostile)
    log(`${hostile.length} hostile checks every 10 s (${manners.join(', ')})`)
    await pause(settleMs)
    for (let round = 1; round <= options.rounds; round++) await measure(`round ${round}`)
    await stopChecks(api, hostile)
    // A run of the last round may still be in flight.
    await pause(periodMs)
    return await readPhases(api, checks, spans)
  } finally {
    for (const program of running.reverse()) await program.stop()
    for (const { process } of targets) process.kill()
    rmSync(home, { recursive: true, force: true })
  }
}

async function startTarget(kind: string): Promise<{ url: string; process: ChildProcess }> {
  const program = fileURLToPath(new URL('hostile-targets.ts', import.meta.url))
  const child = spawn(process.execPath, [program, kind], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (text) => resolve(String(text).trim()))
    child.once('exit', (code) => reject(new Error(`the ${kind} target ended with ${code}`)))
  })
  return { url: `http://127.0.0.1:${port}`, process: child }
}

interface DrillCheck {
  id: string
  isPage: boolean
}

/** Half of them have a body of two bytes, half a page of 200 kB; half of the pages have assertions. */
async function createHealthy(api: Api, url: string, count: number): Promise<DrillCheck[]> {
  const checks: DrillCheck[] = []
  for (let index = 0; index < count; index++) {
    const isPage = index % 2 === 1
    const assertions = index % 4 === 1 ? [bodyContains('</p>')] : []
    const request = { method: 'GET', url: `${url}/${isPage ? 'page' : 'small'}/${index}`, assertions }
    const id = await createCheck(api, index % 4 === 1 ? 'api' : 'url', `Healthy ${index}`, request)
    checks.push({ id, isPage })
  }
  return checks
}

/** Half of the endless ones and of the bombs have assertions, which need the whole body. */
async function createHostile(api: Api, url: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const manner = manners[index % manners.length] ?? ''
    const isAsserted = Math.floor(index / manners.length) % 2 === 1
    const request = {
      method: 'GET',
      url: `${url}/${manner}/${index}`,
      assertions: isAsserted ? [bodyContains('there is no such text')] : [],
    }
    ids.push(await createCheck(api, isAsserted ? 'api' : 'url', `Hostile ${index}: ${manner}`, request))
  }
  return ids
}

const bodyContains = (target: string) => ({
  source: 'TEXT_BODY',
  comparison: 'CONTAINS',
  property: '',
  target,
})

async function createCheck(api: Api, type: 'api' | 'url', name: string, request: unknown): Promise<string> {
  const settings = {
    name,
    request,
    locations: [region],
    activated: true,
    frequency: 0,
    frequencyOffset: periodMs / 1000,
    doubleCheck: false,
  }
  const { id } = (await call(api, 'POST', `/v1/checks/${type}?autoAssignAlerts=false`, settings)) as {
    id: string
  }
  return id
}

async function stopChecks(api: Api, ids: readonly string[]): Promise<void> {
  for (const id of ids) await call(api, 'DELETE', `/v1/checks/${id}`)
}

interface Span {
  name: string
  from: number
  to: number
  usage: AgentUsage
}

interface Result {
  checkRunId: number
  startedAt: string
  responseTime: number
  hasFailures: boolean
  hasErrors: boolean
  isPage: boolean
}

async function readPhases(api: Api, checks: readonly DrillCheck[], spans: readonly Span[]): Promise<Phase[]> {
  const results: Result[] = []
  const slots: { at: number; isRun: boolean }[] = []
  for (const { id, isPage } of checks) {
    const fields = 'fields=checkRunId,startedAt,responseTime,hasFailures,hasErrors'
    const { entries } = (await call(api, 'GET', `/v2/check-results/${id}?limit=100&${fields}`)) as {
      entries: Result[]
    }
    results.push(...entries.map((entry) => ({ ...entry, isPage })))
    const run = new Set(entries.map(({ checkRunId }) => checkRunId))
    // A check that never ran has missed every slot.
    const first = run.size > 0 ? Math.min(...run) : (spans[0]?.from ?? Date.now())
    for (let at = first; at < Date.now(); at += periodMs) slots.push({ at, isRun: run.has(at) })
  }
  return spans.map(({ name, from, to, usage }) => {
    const isWithin = (at: number) => at >= from && at < to
    const own = results.filter(({ checkRunId }) => isWithin(checkRunId))
    const times = (isPage: boolean) => responseTimes(own.filter((result) => result.isPage === isPage))
    const lags = own.map(({ startedAt, checkRunId }) => Date.parse(startedAt) - checkRunId)
    return {
      name,
      usage,
      small: times(false),
      page: times(true),
      lag: { p50: quantile(lags, 0.5), p99: quantile(lags, 0.99) },
      runs: own.length,
      failed: own.filter(({ hasFailures, hasErrors }) => hasFailures || hasErrors).length,
      notRun: slots.filter(({ at, isRun }) => isWithin(at) && !isRun).length,
    }
  })
}

function responseTimes(results: readonly Result[]): ResponseTimes {
  const times = results.map(({ responseTime }) => responseTime)
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
