// Three servers behind HAProxy are upgraded one by one, under load. Afterwards every API call must have succeeded, every run must have
// been made once, and every alert must have arrived once.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulatedAgents } from '@vedette/agent/simulated'
import { createClient, triggerCheckSessions } from '@vedette/contracts'
import { freePort } from '../../free-port.ts'
import { onDemandOnly } from '../../scene.ts'
import { until } from '../../until.ts'
import { auditAlerts, formatBooks } from '../alert-books.ts'
import { AlertGround } from '../alert-ground.ts'
import { own } from '../failover/debian.ts'
import { type Single, startSingle } from '../failover/postgres-pair.ts'
import {
  type Checkout,
  createAgentKey,
  isIdle,
  type Program,
  pause,
  startAgent,
  startServer,
  thisCheckout,
} from '../fleet.ts'
import { type Api, audit, auditUnscheduled, call, createChecks, deactivate } from '../load.ts'
import { beforeNewestMigration, checkOut } from '../upgrade/release.ts'
import { startProxy, startTarget } from '../witness.ts'
import { startClients } from './api-clients.ts'
import { startBalancer } from './haproxy.ts'

export interface RollingOptions {
  checks: number
  simulatedAgents: number
  agents: number
  /** How long the load runs before and after. */
  calmMs: number
  /** The pause between two calls of each of six API clients. */
  pauseMs: number
  /** A checkout of the old commit with installed packages; absent: a clone is created. */
  oldCheckout: string | undefined
  log(line: string): void
}

const serverCount = 3
const regions = ['eu-west-1', 'us-east-1', 'ap-south-1']
const region = 'eu-west-1'
/** Of the real agents only: simulated ones say that every run passed. */
const regionWithAlerts = 'sa-east-1'
const periodMs = 60_000
const createdAtOnce = 10
/** As in compose.scale.yml. */
const stopDelaySeconds = 4
/** The balancer uses a server that is ready after a second. */
const balancerMs = 3_000
const timeoutMs = 300_000

/** Returns the faults. */
export async function rollingDrill(options: RollingOptions): Promise<string[]> {
  const { log } = options
  const home = mkdtempSync(join(tmpdir(), 'vedette-rolling-'))
  own(home)
  const closers: (() => Promise<unknown> | unknown)[] = [() => rmSync(home, { recursive: true, force: true })]
  try {
    const release = beforeNewestMigration()
    const old = checkOut(release, options.oldCheckout ?? join(home, 'old'))
    log(`old: commit ${release.commit.slice(0, 12)} ${release.version}`)
    const store = await startSingle(home)
    closers.push(() => store.stop())
    const ground = await AlertGround.open()
    closers.push(() => ground.close())
    const target = await startTarget()
    closers.push(() => target.close())
    const ports = await Promise.all(Array.from({ length: serverCount }, freePort))
    const environmentOf = (index: number) => ({
      DATABASE_URL: `postgres://${store.user}:${store.password}@127.0.0.1:${store.port}/${store.database}`,
      SECRET_KEY: 'a secret key that all servers have',
      STOP_DELAY_SECONDS: String(stopDelaySeconds),
      TRUST_PROXY: '1',
      PORT: String(ports[index]),
      DATA_DIR: join(home, `server-${index}`),
      ...ground.mail.settings,
    })
    const servers: Awaited<ReturnType<typeof startServer>>[] = []
    closers.push(async () => {
      for (const server of servers) await server.stop()
    })
    for (const index of ports.keys()) servers.push(await startServer(environmentOf(index), old))
    const started = new Set(servers)
    const first = servers[0]?.first ?? null
    if (first === null) throw new Error('the database was not new')
    const balancer = await startBalancer(home, ports)
    closers.push(() => balancer.stop())
    const api: Api = { url: () => balancer.url, ...first }
    const client = createClient({ baseUrl: balancer.url, apiKey: first.key, accountId: first.accountId })
    await ground.settle(client, 5, regionWithAlerts)

    const proxy = await startProxy(() => balancer.url)
    closers.push(() => proxy.close())
    const apiKey = await createAgentKey(environmentOf(0), old)
    const healthPorts = await Promise.all(Array.from({ length: options.agents }, freePort))
    const agents = healthPorts.map((port) => runAgent(old, { home, apiKey, serverUrl: proxy.url, port }))
    closers.push(() => Promise.all(agents.map((agent) => agent.stop())))
    const simulated = await startSimulatedAgents({
      count: options.simulatedAgents,
      serverUrl: proxy.url,
      apiKey,
      locations: regions,
      folder: join(home, 'simulated'),
    })
    closers.push(() => simulated.stop())
    const checks: Awaited<ReturnType<typeof createChecks>> = []
    while (checks.length < options.checks) {
      const settingsOf = (index: number) => ({
        locations: [regions[index % regions.length]],
        request: { method: 'GET', url: `${target.url}/${index}` },
        alertChannelSubscriptions: [],
      })
      const count = Math.min(createdAtOnce, options.checks - checks.length)
      checks.push(...(await createChecks(api, count, settingsOf, periodMs)))
    }
    const session = (await call(api, 'POST', '/v1/checks/url?autoAssignAlerts=false', {
      name: 'Run by sessions',
      ...onDemandOnly,
      locations: [region],
      request: { method: 'GET', url: `${target.url}/session` },
    })) as { id: string }
    await until('half of the checks have run', () => proxy.acknowledged.size >= options.checks / 2, timeoutMs)
    const clients = startClients({ api, checkId: session.id, region, pauseMs: options.pauseMs })
    closers.push(() => clients.stop())
    // Fifty agents that begin at once overload the machine for seconds; what old servers refuse then isn't a fault of the upgrade.
    const earlier = proxy.failures.splice(0)
    log(`${earlier.length} calls of agents failed before the load was steady`)
    await pause(options.calmMs)

    const faults: string[] = []
    let decisions = 0
    const changeSite = async (status: number) => {
      decisions += 1
      ground.site.on('/', { status })
      await client.call(triggerCheckSessions, { body: { target: { checkId: ground.checks } } })
    }
    for (const [index, server] of servers.entries()) {
      // Alerts are decided and sent while the server stops.
      await changeSite(index % 2 === 0 ? 500 : 200)
      const stoppedAt = Date.now()
      const [code, before] = [await server.stop(), clients.faults.length]
      const startedAt = Date.now()
      if (code !== 0) faults.push(`server ${index} ended with ${code}: ${server.log().slice(-1_000)}`)
      const successor = await startServer(environmentOf(index), thisCheckout)
      servers[index] = successor
      started.add(successor)
      log(
        `server ${index + 1}: stopped in ${seconds(startedAt - stoppedAt)} s, the new one was ready ${seconds(Date.now() - startedAt)} s later; ` +
          `${clients.calls()} calls so far, ${clients.faults.length} failed (${before} when it had stopped)`,
      )
      await until('all alerts have come', () => hasCome(ground, decisions), timeoutMs)
      await pause(balancerMs)
    }
    if (decisions % 2 === 1) await changeSite(200)
    await until('all recoveries have come', () => hasCome(ground, decisions), timeoutMs)
    await pause(options.calmMs)
    await clients.stop()
    const times = clients.times()
    const share = (part: number) => times[Math.floor((times.length - 1) * part)]
    log(
      `${times.length} API calls, ${clients.faults.length} faults; p50 ${share(0.5)} ms, p99 ${share(0.99)} ms, longest ${share(1)} ms; ` +
        `${clients.sessions()} sessions; ${proxy.failures.length} calls of agents failed`,
    )

    await deactivate(api, checks)
    await until(
      'the agents have delivered everything',
      async () => simulated.isIdle() && (await Promise.all(healthPorts.map(isIdle))).every(Boolean),
      timeoutMs,
    )
    const scheduledIds = new Set(checks.map(({ id }) => id))
    const acknowledged = [...proxy.acknowledged]
    const scheduled = new Map(acknowledged.filter(([, { checkId }]) => scheduledIds.has(checkId)))
    const onDemand = new Map(acknowledged.filter(([, { checkId }]) => !scheduledIds.has(checkId)))
    const books = await audit(api, checks, scheduled)
    const { expected, executed, skipped, missed } = books
    log(
      `${expected} runs expected = ${executed} executed + ${skipped} skipped + ${missed} missed; ${await lag(store)}`,
    )
    if (executed !== expected) faults.push(`${skipped} runs were skipped and ${missed} missed`)
    const alertBooks = await auditAlerts(ground, decisions)
    log(formatBooks(alertBooks))
    const found = [
      ...faults,
      ...clients.faults,
      ...proxy.failures.map((failure) => `agent: ${failure}`),
      ...books.faults,
      ...(await auditUnscheduled(api, [...ground.checks, session.id], onDemand)),
      ...alertBooks.faults,
      ...(await findOldSchema(store)),
      ...servers.flatMap((server, index) => (server.hasEnded() ? [`server ${index} ended`] : [])),
    ]
    if (found.length > 0)
      for (const server of started) log(`server ${server.pid} wrote: ${server.log().slice(-5_000)}`)
    return found
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)

function hasCome({ webhook, mail, checks }: AlertGround, decisions: number): boolean {
  return Math.min(webhook.receiver.messages.length, mail.mails.length) >= decisions * checks.length
}

/** How late runs began. */
async function lag(store: Single): Promise<string> {
  const [row] = await store.query<{ total: number; p50: number; p99: number; longest: number }>(
    `select count(*)::int as total, max(ms) as longest, percentile_disc(0.5) within group (order by ms) as p50,
       percentile_disc(0.99) within group (order by ms) as p99
     from (
       select round(date_part('epoch', started_at - scheduled_at) * 1000)::int as ms from results
       where source = 'schedule'
     ) lags`,
  )
  return `${row?.total} began p50 ${row?.p50} ms, p99 ${row?.p99} ms, at most ${row?.longest} ms after their slot`
}

/** The new version has migrated the schema. */
async function findOldSchema(store: Single): Promise<string[]> {
  const files = readdirSync(join(thisCheckout.root, 'packages/server/migrations'))
  const newest = Math.max(...files.map((name) => Number.parseInt(name, 10)))
  const [row] = await store.query<{ number: number }>('select max(number) as number from schema_migrations')
  return row?.number === newest ? [] : [`the schema is ${row?.number}, and the newest migration is ${newest}`]
}

function runAgent(
  old: Checkout,
  { home, apiKey, serverUrl, port }: { home: string; apiKey: string; serverUrl: string; port: number },
): Program {
  return startAgent(
    {
      API_KEY: apiKey,
      SERVER_URL: serverUrl,
      AGENT_LOCATIONS: [...regions, regionWithAlerts].join(','),
      AGENT_DATA_DIR: join(home, `agent-${port}`),
      AGENT_HEALTH_PORT: String(port),
    },
    old,
  )
}
