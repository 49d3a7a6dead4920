// What a run costs the servers and PostgreSQL with few and many agents, and with one and several servers on one store.
// npm run bench -- fleet. BENCH_CHECKS (3000, each once a minute) and BENCH_SECONDS (40) shorten it.
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { locationIds } from '@vedette/contracts'
import type pg from 'pg'
import { Closers } from './closers.ts'
import {
  cpuSeconds,
  freePort,
  postgresOf,
  startBeside,
  startProgram,
  startVedette,
  type Vedette,
} from './server-process.ts'
import { connectTo } from './web-data.ts'

const checks = Number(process.env.BENCH_CHECKS ?? 3_000)
const seconds = Number(process.env.BENCH_SECONDS ?? 40)
const warmUpSeconds = 20
const goalRatio = 1.3
const locations = locationIds.slice(0, 20)
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
}

const closers = new Closers()
try {
  process.exitCode = (await measure()) ? 0 : 1
} finally {
  await closers.close()
}

async function measure(): Promise<boolean> {
  const vedette = await startVedette({ SECRET_KEY: secretKey })
  closers.add(() => vedette.stop())
  const targetPort = await freePort()
  const target = await startProgram('./probe-target.ts', {
    PLAIN_PORT: String(targetPort),
    TLS_PORT: String(await freePort()),
  })
  closers.add(() => target.stop())
  const store = await connectTo(vedette)
  closers.add(() => store.end())
  await createChecks(vedette, targetPort)
  const key = createAgentKey(vedette)
  console.log(
    `${checks} URL checks a minute in ${locations.length} locations; CPU of a run, over ${seconds} s each:`,
  )
  const sums: number[] = []
  for (const fleet of fleets) {
    const cost = await measureFleet(vedette, store, key, fleet)
    sums.push(cost.serverMicros + cost.storeMicros)
    console.log(
      `${String(fleet.servers).padStart(2)} servers, ${String(fleet.agents).padStart(3)} agents  ${cost.perSecond.toFixed(1).padStart(6)} runs/s  servers ${cost.serverMicros.toFixed(0)} µs, PostgreSQL ${cost.storeMicros.toFixed(0)} µs`,
    )
  }
  const ratio = Math.max(...sums) / Math.min(...sums)
  const isMet = ratio <= goalRatio
  console.log(`highest to lowest ${ratio.toFixed(2)}×, goal ${goalRatio}× — ${isMet ? 'met' : 'MISSED'}`)
  return isMet
}

async function measureFleet(
  vedette: Vedette,
  store: pg.Client,
  key: string,
  fleet: { servers: number; agents: number },
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
    await sleep(warmUpSeconds * 1000)
    const pids = servers.map(({ pid }) => pid)
    const before = {
      server: cpuSeconds(pids),
      store: cpuSeconds(postgresOf(vedette)),
      at: await storeTime(store),
    }
    await sleep(seconds * 1000)
    const after = {
      server: cpuSeconds(pids),
      store: cpuSeconds(postgresOf(vedette)),
      at: await storeTime(store),
    }
    const { rows } = await store.query<{ runs: number }>(
      `select count(*)::int as runs from results where scheduled_at > $1::timestamptz - interval '1 minute'
         and created_at >= $1 and created_at < $2`,
      [before.at, after.at],
    )
    const runs = rows[0]?.runs ?? 0
    return {
      perSecond: runs / seconds,
      serverMicros: ((after.server - before.server) / runs) * 1e6,
      storeMicros: ((after.store - before.store) / runs) * 1e6,
    }
  } finally {
    await own.close()
  }
}

async function storeTime(store: pg.Client): Promise<string> {
  const { rows } = await store.query<{ now: string }>('select clock_timestamp()::text as now')
  return rows[0]?.now ?? ''
}

async function createChecks(vedette: Vedette, targetPort: number): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < checks) {
      const index = next++
      const response = await fetch(`${vedette.url}/v1/checks/url?autoAssignAlerts=false`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${vedette.key}`,
          'x-service-account': vedette.accountId,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          name: `Check ${index}`,
          frequency: 1,
          locations: [locations[index % locations.length]],
          request: { url: `http://127.0.0.1:${targetPort}/${index}` },
        }),
      })
      if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
}

/** Created with the operator's command. */
function createAgentKey({ dataDir }: Vedette): string {
  const program = fileURLToPath(new URL('../packages/server/src/operate.ts', import.meta.url))
  const text = execFileSync(
    process.execPath,
    [program, 'agent-keys', 'create', '--name', 'bench', '--json'],
    { env: { ...process.env, DATA_DIR: dataDir, SECRET_KEY: secretKey }, encoding: 'utf8' },
  )
  const key = /va_[0-9a-f]{32}/.exec(text)?.[0]
  if (key === undefined) throw new Error(`no key in: ${text}`)
  return key
}
