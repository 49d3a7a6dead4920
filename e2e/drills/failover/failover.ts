// The primary of a replicated PostgreSQL is killed under load, and its standby promoted. Afterwards no acknowledged result may be
// lost, every alert must have arrived once, and the servers must have gone on by themselves.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, triggerCheckSessions } from '@vedette/contracts'
import { freePort } from '../../free-port.ts'
import { until } from '../../until.ts'
import { auditAlerts, formatBooks } from '../alert-books.ts'
import { AlertGround } from '../alert-ground.ts'
import { createAgentKey, isIdle, type Program, pause, startAgent, startServer } from '../fleet.ts'
import { type Api, audit, auditUnscheduled, createChecks, deactivate } from '../load.ts'
import { startProxy, startTarget } from '../witness.ts'
import { watchApi } from './api-watch.ts'
import { own } from './debian.ts'
import { startBouncer } from './pgbouncer.ts'
import { startPair } from './postgres-pair.ts'

export interface FailoverOptions {
  hasBouncer: boolean
  checks: number
  /** How long the load runs before and after. */
  calmMs: number
  log(line: string): void
}

const region = 'eu-west-1'
/** How long a tool such as Patroni takes until it is sure that the primary is gone. */
const detectMs = 4_000
const timeoutMs = 120_000

/** Returns the faults. */
export async function failoverDrill({
  hasBouncer,
  checks: count,
  calmMs,
  log,
}: FailoverOptions): Promise<string[]> {
  const home = mkdtempSync(join(tmpdir(), 'vedette-failover-'))
  own(home)
  const ground = await AlertGround.open()
  const target = await startTarget()
  const closers: (() => Promise<unknown> | unknown)[] = [() => rmSync(home, { recursive: true, force: true })]
  try {
    const pair = await startPair(home)
    closers.push(() => pair.stop())
    const urlOf = (hosts: string) => `postgres://${pair.user}:${pair.password}@${hosts}/${pair.database}`
    const direct = urlOf(pair.ports.map((port) => `127.0.0.1:${port}`).join(','))
    const bouncer = hasBouncer ? await startBouncer(home, { ...pair, port: pair.ports[0] }) : null
    closers.push(() => bouncer?.stop())
    const environment = {
      ...(bouncer === null
        ? { DATABASE_URL: direct }
        : {
            DATABASE_URL: urlOf(`127.0.0.1:${bouncer.port}`),
            DATABASE_POOLING: 'transaction',
            DATABASE_DIRECT_URL: direct,
          }),
      SECRET_KEY: 'a secret key that both servers have',
      ...ground.mail.settings,
    }
    const ports = [await freePort(), await freePort()]
    const servers: Awaited<ReturnType<typeof startServer>>[] = []
    for (const [index, port] of ports.entries()) {
      const server = await startServer({
        ...environment,
        PORT: String(port),
        DATA_DIR: join(home, `server-${index}`),
      })
      closers.push(() => server.stop())
      servers.push(server)
    }
    const first = servers[0]?.first ?? null
    if (first === null) throw new Error('the database was not new')
    const urls = ports.map((port) => `http://127.0.0.1:${port}`)
    const api: Api = { url: () => urls[0] as string, ...first }
    const client = createClient({ baseUrl: api.url(), apiKey: first.key, accountId: first.accountId })
    await ground.settle(client, 5)
    const proxies = await Promise.all(urls.map((url) => startProxy(() => url)))
    closers.push(...proxies.map((proxy) => () => proxy.close()))
    const healthPorts = [await freePort(), await freePort()]
    const key = await createAgentKey({ ...environment, DATA_DIR: join(home, 'server-0') })
    for (const [index, healthPort] of healthPorts.entries()) {
      const agent = runAgent({ home, key, proxies: index === 0 ? proxies : proxies.toReversed(), healthPort })
      closers.push(() => agent.stop())
    }
    const checks = await createChecks(api, count, (index) => ({
      locations: [region],
      request: { method: 'GET', url: `${target.url}/${index}` },
      alertChannelSubscriptions: [],
    }))
    await until('runs are made', () => target.hits.size >= count / 2, timeoutMs)
    await pause(calmMs)

    const watch = watchApi(api)
    closers.push(() => watch.stop())
    const acknowledged = () => proxies.reduce((sum, proxy) => sum + proxy.acknowledged.size, 0)
    // Between the decision of alerts and the record of their delivery.
    ground.site.on('/', { status: 500 })
    await client.call(triggerCheckSessions, { body: { target: { checkId: ground.checks } } })
    await until('an alert is being sent', () => ground.webhook.receiver.calls > 0, timeoutMs)
    const killedAt = Date.now()
    await pair.killPrimary()
    await pause(detectMs)
    const before = acknowledged()
    const promotedAt = Date.now()
    await pair.promoteStandby()
    bouncer?.pointTo(pair.ports[1])
    await until('results are acknowledged again', () => acknowledged() > before, timeoutMs)
    const acknowledgedAt = Date.now()
    await until('reads succeed again', () => watch.succeededAfter(promotedAt) !== null, timeoutMs)
    const since = (at: number | null) => (((at ?? Number.NaN) - promotedAt) / 1000).toFixed(1)
    log(
      `promoted ${((promotedAt - killedAt) / 1000).toFixed(1)} s after the kill; then reads after ${since(watch.succeededAfter(promotedAt))} s, ` +
        `results acknowledged after ${since(acknowledgedAt)} s`,
    )
    await pause(calmMs)
    await until('all alerts have come', () => hasCome(ground, 1), timeoutMs)
    ground.site.on('/', { status: 200 })
    await client.call(triggerCheckSessions, { body: { target: { checkId: ground.checks } } })
    await until('all recoveries have come', () => hasCome(ground, 2), timeoutMs)
    await watch.stop()
    log(`${watch.total()} reads meanwhile, ${watch.refused()} of them got 503 with Retry-After`)

    await deactivate(api, checks)
    await until(
      'the agents have delivered everything',
      async () => (await Promise.all(healthPorts.map(isIdle))).every(Boolean),
      timeoutMs,
    )
    const isUnscheduled = ({ checkId }: { checkId: string }) => ground.checks.includes(checkId)
    const all = proxies.flatMap((proxy) => [...proxy.acknowledged])
    const [onDemand, scheduled] = [
      new Map(all.filter(([, one]) => isUnscheduled(one))),
      new Map(all.filter(([, one]) => !isUnscheduled(one))),
    ]
    const lost = await auditUnscheduled(api, ground.checks, onDemand)
    const books = await audit(api, checks, scheduled)
    const { expected, executed, skipped, missed } = books
    log(
      `${scheduled.size} results of scheduled and ${onDemand.size} of other runs acknowledged, all of them kept unless named below; ${expected} runs expected = ${executed} executed + ${skipped} skipped + ${missed} missed`,
    )
    const alertBooks = await auditAlerts(ground, 2)
    log(formatBooks(alertBooks))
    const ended = servers.flatMap((server, index) => (server.hasEnded() ? [`server ${index} ended`] : []))
    return [...books.faults, ...lost, ...alertBooks.faults, ...watch.faults, ...ended]
  } finally {
    for (const close of closers.reverse()) await close()
    await target.close()
    await ground.close()
  }
}

function hasCome({ webhook, mail, checks }: AlertGround, decisions: number): boolean {
  return Math.min(webhook.receiver.messages.length, mail.mails.length) >= decisions * checks.length
}

function runAgent(options: {
  home: string
  key: string
  proxies: { url: string }[]
  healthPort: number
}): Program {
  return startAgent({
    API_KEY: options.key,
    SERVER_URL: options.proxies.map(({ url }) => url).join(','),
    AGENT_LOCATIONS: region,
    AGENT_DATA_DIR: join(options.home, `agent-${options.healthPort}`),
    AGENT_HEALTH_PORT: String(options.healthPort),
  })
}
