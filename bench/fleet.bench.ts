// What a run costs the servers and PostgreSQL: with few and many agents, and with one and several servers on one store; then with
// 100,000 checks a minute. Agents are simulated: the agent's own protocol without runs. A real agent with real runs is beside them.
// npm run bench -- fleet [agents|many]. BENCH_CHECKS (30000, each once a minute), BENCH_SECONDS (40) and BENCH_MANY (100000) shorten it.
import { setTimeout as sleep } from 'node:timers/promises'
import { locationIds } from '@vedette/contracts'
import type pg from 'pg'
import { startAgent } from './agent-process.ts'
import { createAgentKey, createChecks } from './api-calls.ts'
import { Closers } from './closers.ts'
import { measureMany } from './many-checks.ts'
import { ReferenceWork, warmReferenceWork } from './reference-work.ts'
import {
  connectTo,
  cpuSeconds,
  freePort,
  postgresOf,
  startBeside,
  startProgram,
  startVedette,
  type Vedette,
} from './server-process.ts'

/** A load that several servers are for. With fewer, they mostly cost what idle servers do, and their batches are small. */
const checks = Number(process.env.BENCH_CHECKS ?? 30_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 40)
/** New agents connect. */
const warmUpSeconds = 60
/** A new server compiles its code for two minutes (20 ms of CPU a second, even if it has nothing to do), and fills its caches. */
const serverWarmUpSeconds = 150
const goalRatio = 1.3
const locations = locationIds.slice(0, 20)
/** Of the real agent. */
const realLocation = locationIds[20] ?? ''
const realChecks = 60
const part = process.argv[2] ?? 'all'
const secretKey = 'a secret key that all servers have'
const fleets = [
  { servers: 1, agents: 1 },
  { servers: 1, agents: 50 },
  { servers: 1, agents: 500 },
  { servers: 2, agents: 50 },
  { servers: 4, agents: 50 },
]

interface Cost {
  perSecond: number
  serverMicros: number
  storeMicros: number
  realRuns: number
  /** CPU of a fixed piece of work at the same time. */
  referenceMs: number
}

const closers = new Closers()
try {
  process.exitCode = (await measure()) ? 0 : 1
} finally {
  await closers.close()
}

async function measure(): Promise<boolean> {
  const isFlat = part === 'many' || (await compareFleets())
  if (part !== 'agents') await measureMany(closers, locations, secretKey)
  return isFlat
}

async function compareFleets(): Promise<boolean> {
  // PostgreSQL then accepts the connections of all servers.
  const vedette = await startVedette({ SECRET_KEY: secretKey, DATABASE_POOL_SIZE: '60' })
  closers.add(() => vedette.stop())
  const targetPort = await freePort()
  const target = await startProgram('./probe-target.ts', {
    PLAIN_PORT: String(targetPort),
    TLS_PORT: String(await freePort()),
  })
  closers.add(() => target.stop())
  const store = await connectTo(vedette)
  closers.add(() => store.end())
  const key = createAgentKey(vedette, secretKey)
  await createChecks(vedette, 'url', checks + realChecks, (index) => ({
    frequency: 1,
    locations: [index < checks ? locations[index % locations.length] : realLocation],
    request: { url: `http://127.0.0.1:${targetPort}/${index}` },
  }))
  console.log(
    `${checks} URL checks a minute in ${locations.length} locations; CPU of a run, over ${seconds} s each, and of a fixed piece of work at the same time:`,
  )
  warmReferenceWork()
  const costs: Cost[] = []
  for (const fleet of fleets) {
    const hasNewServers = costs.length === 0 || fleet.servers > 1
    const warmUp = hasNewServers ? serverWarmUpSeconds : warmUpSeconds
    const cost = await measureFleet(vedette, store, key, fleet, warmUp)
    costs.push(cost)
    console.log(
      `${String(fleet.servers).padStart(2)} servers, ${String(fleet.agents).padStart(3)} agents  ${cost.perSecond.toFixed(1).padStart(6)} runs/s  servers ${cost.serverMicros.toFixed(0)} µs, PostgreSQL ${cost.storeMicros.toFixed(0)} µs; fixed work ${cost.referenceMs.toFixed(2)} ms; ${cost.realRuns} runs of a real agent`,
    )
  }
  const sumOf = ({ serverMicros, storeMicros }: Cost) => serverMicros + storeMicros
  const ratio = ratioOf(costs.map((cost) => sumOf(cost) / cost.referenceMs))
  const isMet = ratio <= goalRatio
  console.log(
    `relative to the fixed work, highest to lowest ${ratio.toFixed(2)}×, goal ${goalRatio}× — ${isMet ? 'met' : 'MISSED'}; without this ${ratioOf(costs.map(sumOf)).toFixed(2)}×`,
  )
  return isMet
}

function ratioOf(values: readonly number[]): number {
  return Math.max(...values) / Math.min(...values)
}

async function measureFleet(
  vedette: Vedette,
  store: pg.Client,
  key: string,
  fleet: { servers: number; agents: number },
  warmUp: number,
): Promise<Cost> {
  const own = new Closers()
  try {
    const servers = [{ pid: vedette.pid, url: vedette.url }]
    while (servers.length < fleet.servers) {
      const server = await startBeside(vedette, { SECRET_KEY: secretKey })
      own.add(() => server.stop())
      servers.push(server)
    }
    const urls = servers.map(({ url }) => url).join(',')
    const agents = await startProgram('./simulated-fleet.ts', {
      COUNT: String(fleet.agents),
      SERVER_URLS: urls,
      API_KEY: key,
      LOCATIONS: locations.join(','),
    })
    own.add(() => agents.stop())
    const real = await startAgent({ API_KEY: key, SERVER_URL: urls, AGENT_LOCATIONS: realLocation })
    own.add(() => real.stop())
    await sleep(warmUp * 1000)
    await waitForBacklog(store)
    const pids = servers.map(({ pid }) => pid)
    const before = {
      server: cpuSeconds(pids),
      store: cpuSeconds(postgresOf(vedette)),
      at: await storeTime(store),
    }
    const begin = performance.now()
    const reference = new ReferenceWork()
    await sleep(seconds * 1000)
    const referenceMs = reference.stop()
    const after = {
      server: cpuSeconds(pids),
      store: cpuSeconds(postgresOf(vedette)),
      at: await storeTime(store),
    }
    const elapsed = (performance.now() - begin) / 1000
    const { rows } = await store.query<{ runs: number; real: number; failed: number }>(
      `select count(*)::int as runs, count(*) filter (where location = $3)::int as real,
         count(*) filter (where has_failures or has_errors)::int as failed from results where scheduled_at > $1::timestamptz - interval '1 minute'
         and created_at >= $1 and created_at < $2`,
      [before.at, after.at, realLocation],
    )
    const { runs = 0, real: realRuns = 0, failed = 0 } = rows[0] ?? {}
    if (realRuns === 0 || failed > 0)
      throw new Error(`${realRuns} of ${runs} runs are of the real agent, ${failed} failed`)
    return {
      perSecond: runs / elapsed,
      serverMicros: ((after.server - before.server) / runs) * 1e6,
      storeMicros: ((after.store - before.store) / runs) * 1e6,
      realRuns,
      referenceMs,
    }
  } finally {
    await own.close()
  }
}

/** Runs wait since their checks were created, or since the agents before have ended: many at once cost less. */
async function waitForBacklog(store: pg.Client): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { rowCount } = await store.query(
      "select from schedule where due_at < clock_timestamp() - interval '5 seconds' limit 1",
    )
    if (rowCount === 0) return
    await sleep(1000)
  }
  throw new Error('the agents are late for 5 minutes: this machine is too slow for so many checks')
}

async function storeTime(store: pg.Client): Promise<string> {
  const { rows } = await store.query<{ now: string }>('select clock_timestamp()::text as now')
  return rows[0]?.now ?? ''
}
