// Two servers and three agents on one PostgreSQL: every expected run runs once, also while one server is killed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { createAgentKey, isIdle, type Program, pause, startAgent, startServer, until } from './fleet.ts'
import { type Api, audit, type Books, createChecks, deactivate } from './load.ts'
import { startProxy, startTarget } from './witness.ts'

export interface SeveralOptions {
  /** A separate database on a shared PostgreSQL. */
  databaseUrl: string
  checks: number
  /** How long all of them run. */
  calmMs: number
  /** Whether one of the servers is killed meanwhile. */
  killOne: boolean
  /** How far the clock of the second server is ahead. */
  wrongClockMs?: number
}

export interface SeveralBooks extends Books {
  requests: number
  /** The number of results that each server received. */
  perServer: number[]
}

const regions = ['eu-west-1', 'us-east-1', 'ap-south-1']

export async function severalServers(options: SeveralOptions): Promise<SeveralBooks> {
  const home = mkdtempSync(join(tmpdir(), 'vedette-several-'))
  const target = await startTarget()
  const ports = [await freePort(), await freePort()]
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const betweens = await Promise.all(urls.map((url) => startProxy(() => url)))
  const environment = { DATABASE_URL: options.databaseUrl, SECRET_KEY: 'a secret key that both servers have' }
  const running: Program[] = []
  try {
    // One after the other: the first creates the account and prints its key.
    const [first, second] = [
      await startServer({ ...environment, PORT: String(ports[0]), DATA_DIR: join(home, 'one') }),
      await startServer({
        ...environment,
        ...(options.wrongClockMs !== undefined && shiftClock(options.wrongClockMs)),
        PORT: String(ports[1]),
        DATA_DIR: join(home, 'two'),
      }),
    ]
    running.push(first, second)
    if (first.first === null) throw new Error('the database was not new')
    const api: Api = { url: () => urls[0] as string, ...first.first }
    const key = await createAgentKey({ ...environment, DATA_DIR: join(home, 'one') })
    const healthPorts = [await freePort(), await freePort(), await freePort()]
    for (const [index, healthPort] of healthPorts.entries()) {
      const order = index % 2 === 0 ? betweens : betweens.toReversed()
      running.push(
        startAgent({
          API_KEY: key,
          SERVER_URL: order.map(({ url }) => url).join(','),
          AGENT_LOCATIONS: regions.join(','),
          AGENT_DATA_DIR: join(home, `agent-${index}`),
          AGENT_HEALTH_PORT: String(healthPort),
        }),
      )
    }
    const checks = await createChecks(api, options.checks, (index) => ({
      locations: index % 3 === 0 ? regions : [regions[index % 3]],
      runParallel: index % 9 === 0,
      request: { method: 'GET', url: `${target.url}/${index}` },
    }))
    await until('runs are made', () => target.hits.size >= options.checks / 2)
    await pause(options.calmMs)
    if (options.killOne) {
      await second.kill()
      await pause(options.calmMs)
    }
    await deactivate(api, checks)
    await until('the agents have delivered everything', async () =>
      (await Promise.all(healthPorts.map(isIdle))).every(Boolean),
    )
    const acknowledged = new Map(betweens.flatMap((between) => [...between.acknowledged]))
    const books = await audit(api, checks, acknowledged, (index) => (index % 9 === 0 ? regions.length : 1))
    return {
      ...books,
      requests: [...target.hits.values()].reduce((sum, hits) => sum + hits, 0),
      perServer: betweens.map((between) => between.acknowledged.size),
    }
  } finally {
    for (const program of running.reverse()) await program.stop()
    for (const between of betweens) await between.close()
    await target.close()
    rmSync(home, { recursive: true, force: true })
  }
}

/** The settings of a Node process whose clock is wrong. */
function shiftClock(ms: number): { NODE_OPTIONS: string } {
  const code = `globalThis.Date = new Proxy(Date, {
    construct: (Real, words, self) => Reflect.construct(Real, words.length > 0 ? words : [Real.now() + ${ms}], self),
    get: (Real, name) => (name === 'now' ? () => Real.now() + ${ms} : Reflect.get(Real, name)),
  })`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}
