// History is distributed over two workers while checks run, a worker fails and returns, and history comes back. Afterwards
// nothing that was acknowledged may be lost or duplicated.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { type Nodes, startNodes } from './citus/nodes.ts'
import {
  createAgentKey,
  isIdle,
  operate,
  type Program,
  pause,
  startAgent,
  startServer,
  thisCheckout,
  until,
} from './fleet.ts'
import { type Api, audit, type Books, createChecks, deactivate } from './load.ts'
import { startProxy, startTarget, type Proxy as Witness } from './witness.ts'

export interface CitusOptions {
  archive: string | undefined
  checks: number
  /** How long the worker is absent. */
  absentMs: number
  /** How long CPU is measured, before and after. */
  measureMs: number
  /** Test files of the server to run on distributed tables. */
  tests: readonly string[]
  log?: (line: string) => void
}

const region = 'eu-west-1'
const database = 'vedette'
const cloned = 'cloned'

export async function citusDrill(options: CitusOptions): Promise<Books> {
  const home = mkdtempSync(join(tmpdir(), 'vedette-citus-'))
  const running: Program[] = []
  const closers: (() => Promise<unknown>)[] = []
  try {
    const nodes = await startNodes(home, options.archive)
    closers.push(() => nodes.stop())
    await nodes.createCluster(database, 'all')
    return await drill(options, { home, nodes, running, closers })
  } finally {
    for (const program of running.reverse()) await program.stop()
    for (const close of closers.reverse()) await close()
    rmSync(home, { recursive: true, force: true })
  }
}

interface Ground {
  home: string
  nodes: Nodes
  running: Program[]
  closers: (() => Promise<unknown>)[]
}

async function drill(
  { checks: count, absentMs, measureMs, tests, log = () => {} }: CitusOptions,
  { home, nodes, running, closers }: Ground,
): Promise<Books> {
  const port = String(await freePort())
  const environment = {
    PORT: port,
    DATA_DIR: join(home, 'data'),
    DATABASE_URL: nodes.coordinator.url(database),
  }
  const serverUrl = `http://127.0.0.1:${port}`
  const target = await startTarget()
  closers.push(target.close)
  const between = await startProxy(() => serverUrl)
  closers.push(between.close)
  const server = await startServer(environment)
  running.push(server)
  if (server.first === null) throw new Error('the database was not new')
  const api: Api = { url: () => serverUrl, ...server.first }
  const key = await createAgentKey(environment)
  const healthPorts = [await freePort(), await freePort()]
  for (const [index, healthPort] of healthPorts.entries()) {
    running.push(
      startAgent({
        API_KEY: key,
        SERVER_URL: between.url,
        AGENT_LOCATIONS: region,
        AGENT_DATA_DIR: join(home, `agent-${index}`),
        AGENT_HEALTH_PORT: String(healthPort),
      }),
    )
  }
  const checks = await createChecks(api, count, (index) => ({
    locations: [region],
    request: { method: 'GET', url: `${target.url}/${index}` },
  }))
  await until('all checks run', () => target.hits.size >= count)
  const faults: string[] = []
  const measure = () => measureWrites(nodes, between, measureMs)
  log(`${count} checks on one node: ${await measure()}`)

  const { isReady, missing } = JSON.parse(await operate(['scale-out', '--check', '--json'], environment))
  if (isReady !== true) throw new Error(`the cluster is not ready: ${missing.join(' ')}`)
  const { line: scaledOut, broken } = await scaleOut(environment, api, checks[0]?.id ?? '', between)
  if (broken.length > 0) {
    const cause = server
      .log()
      .split('\n')
      .find((entry) => entry.includes('request.failed'))
    faults.push(`${broken.length} reads while tables were distributed: status ${broken[0]}; ${cause}`)
  }
  log(scaledOut)
  log(`${count} checks on ${nodes.workers.length} workers: ${await measure()}`)
  faults.push(...(await readEverything(api, checks[0]?.id ?? '')))
  for (const fault of faults) log(fault)
  if (tests.length > 0) {
    await nodes.createCluster(cloned, 'single')
    const code = await runTests(nodes.coordinator.url(cloned), tests, log)
    if (code !== 0) faults.push(`tests on distributed tables ended with ${code}`)
    log(`${tests.length} test files on distributed tables: ${code === 0 ? 'passed' : 'failed'}`)
  }

  faults.push(...(await loseWorker(nodes, api, checks, { absentMs, log })))
  target.hits.clear()
  await until('every check runs again', () => target.hits.size >= count, 180_000)
  await deactivate(api, checks)
  await until(
    'the agents have delivered everything',
    async () => (await Promise.all(healthPorts.map(isIdle))).every(Boolean),
    180_000,
  )
  const distributed = await audit(api, checks, between.acknowledged)
  const began = Date.now()
  await operate(['scale-out', '--undo', '--json'], environment)
  log(`way back in ${seconds(Date.now() - began)}`)
  const books = await audit(api, checks, between.acknowledged)
  if (books.results !== distributed.results) {
    faults.push(`${distributed.results} results were distributed, ${books.results} came back`)
  }
  const all = [...faults, ...distributed.faults, ...books.faults]
  if (all.length > 0) log(`the end of the log of the server:\n${server.log().slice(-6_000)}`)
  return { ...books, faults: all }
}

async function scaleOut(
  environment: Record<string, string>,
  api: Api,
  checkId: string,
  { reports }: Witness,
): Promise<{ line: string; broken: number[] }> {
  const words = ['scale-out', '--shards', '8', '--json']
  const began = Date.now()
  const first = spawn(
    thisCheckout.node,
    [join(thisCheckout.root, 'packages/server/src/operate.ts'), ...words],
    {
      env: { ...process.env, ...environment },
      stdio: 'ignore',
    },
  )
  // Killed in the middle: the second one continues.
  await pause(4_000)
  first.kill('SIGKILL')
  let isDone = false
  const reads: number[] = []
  const reading = (async () => {
    while (!isDone) {
      reads.push((await get(api, analyticsOf(checkId))).status)
      await pause(250)
    }
  })()
  await until(
    'the second scale-out ends',
    () =>
      operate(words, environment).then(
        () => true,
        (error: Error) => {
          if (/Another scale-out is running/.test(error.message)) return false
          throw error
        },
      ),
    300_000,
  )
  const end = Date.now()
  isDone = true
  await reading
  const during = reports.filter(({ at }) => at >= began && at <= end)
  const slowest = Math.max(0, ...during.map(({ ms }) => ms))
  const failed = during.filter(({ status }) => status !== 200).length
  const refused = reads.filter((status) => status !== 200)
  return {
    line:
      `scale-out, killed once: ${seconds(end - began)}; ${during.length} reports of agents, the slowest waited ${slowest} ms, ` +
      `${failed} to be repeated; ${reads.length} analytics reads, ${refused.length} refused (${[...new Set(refused)].join(', ') || 'none'})`,
    broken: refused.filter((status) => status !== 503),
  }
}

const analyticsOf = (checkId: string) =>
  `/v1/analytics/url-monitors/${checkId}?quickRange=last24Hours&metrics=availability,responseTime_p95`

function get(api: Api, path: string): Promise<Response> {
  return fetch(api.url() + path, {
    headers: { authorization: `Bearer ${api.key}`, 'x-service-account': api.accountId },
  })
}

/** Reads of every kind; returns those that failed. */
async function readEverything(api: Api, checkId: string): Promise<string[]> {
  const paths = [
    analyticsOf(checkId),
    '/v1/reporting?quickRange=last24Hrs',
    '/v1/overview',
    `/v2/check-results/${checkId}?limit=10`,
    '/v2/check-results?limit=10',
    `/v1/checks/${checkId}/coverage`,
    '/v1/check-statuses',
    '/v1/check-alerts',
  ]
  const statuses = await Promise.all(paths.map(async (path) => (await get(api, path)).status))
  return paths.flatMap((path, index) =>
    statuses[index] === 200 ? [] : [`GET ${path}: status ${statuses[index]}`],
  )
}

/** On databases that are clones of a cluster. */
async function runTests(
  url: string,
  tests: readonly string[],
  log: (line: string) => void,
): Promise<number | null> {
  const child = spawn('npx', ['vitest', 'run', '--project', 'api', ...tests], {
    cwd: thisCheckout.root,
    env: { ...process.env, TEST_CLUSTER_URL: url },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  for (const line of code === 0 ? [] : output.split('\n').filter((text) => text.includes('FAIL'))) log(line)
  return code
}

/** Reads of its checks are refused with a time to wait, other reads work; afterwards all do. */
async function loseWorker(
  nodes: Nodes,
  api: Api,
  checks: readonly { id: string }[],
  { absentMs, log }: { absentMs: number; log: (line: string) => void },
): Promise<string[]> {
  const faults: string[] = []
  const [worker] = nodes.workers
  if (worker === undefined) throw new Error('there is no worker')
  await worker.kill()
  const began = Date.now()
  const counts = new Map<number, number>()
  while (Date.now() - began < absentMs) {
    for (const { id } of checks.slice(0, 8)) {
      const response = await get(api, analyticsOf(id))
      counts.set(response.status, (counts.get(response.status) ?? 0) + 1)
      if (response.status !== 200 && response.status !== 503) faults.push(`${id}: status ${response.status}`)
      if (response.status === 503 && response.headers.get('retry-after') === null)
        faults.push(`${id}: no Retry-After`)
    }
    const list = await get(api, '/v1/checks?limit=10')
    if (list.status !== 200) faults.push(`GET /v1/checks without a worker: status ${list.status}`)
    await pause(1_000)
  }
  if (!counts.has(503)) faults.push('no analytics read was refused while the worker was absent')
  await worker.start()
  const restored = Date.now()
  await until('analytics of all checks respond', async () => {
    const all = await Promise.all(checks.slice(0, 20).map(({ id }) => get(api, analyticsOf(id))))
    return all.every(({ status }) => status === 200)
  })
  const reads = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
  log(
    `a worker absent for ${seconds(absentMs)}: analytics reads ${reads}; all work ${seconds(Date.now() - restored)} after its return`,
  )
  return faults
}

async function measureWrites(nodes: Nodes, { acknowledged }: Witness, forMs: number): Promise<string> {
  const all = [nodes.coordinator, ...nodes.workers]
  const read = () => ({
    results: acknowledged.size,
    coordinator: nodes.coordinator.cpuMs(),
    all: all.reduce((sum, node) => sum + node.cpuMs(), 0),
  })
  const before = read()
  await pause(forMs)
  const after = read()
  const results = Math.max(1, after.results - before.results)
  const perResult = (ms: number) => `${(ms / results).toFixed(1)} ms`
  return (
    `${((results * 1000) / forMs).toFixed(0)} results/s, PostgreSQL CPU per result ${perResult(after.all - before.all)}, ` +
    `of which on the coordinator ${perResult(after.coordinator - before.coordinator)}`
  )
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
