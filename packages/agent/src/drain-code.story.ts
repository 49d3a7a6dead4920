// A real agent that drains while user code runs in real cells with a real Chromium.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleBytes } from './code/suite/bundle.fixture.ts'
import { npmEnvironment, readRuntimesDir } from './config.ts'
import { AgentServer, jobExample, until } from './connection/agent-server.fixture.ts'
import { checkoutRuntime, installPatienceMs } from './runtimes/installed-runtime.fixture.ts'

beforeAll(() => checkoutRuntime(), installPatienceMs)

const cleanUps: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Other tests may have the machine to themselves for a while. */
const patienceMs = 120_000

/** A page that opens when it is let. */
async function openHold() {
  const held = new Map<string, ServerResponse>()
  const server = createServer((request, response) => {
    if (request.url === '/favicon.ico') response.writeHead(404).end()
    else held.set(request.url ?? '', response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUps.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isAsked: (path: string) => held.has(path),
    release: (path: string) =>
      held.get(path)?.setHeader('content-type', 'text/html').end('<title>Open</title>'),
  }
}

async function startAgent(environment: Record<string, string> = {}) {
  const home = new AgentServer()
  await home.listen()
  cleanUps.push(() => home.kill())
  const folder = mkdtempSync(join(tmpdir(), 'vd-'))
  cleanUps.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const child = spawn(process.execPath, [fileURLToPath(new URL('main.ts', import.meta.url))], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      // The package manager of suites comes from npm.
      ...npmEnvironment(),
      API_KEY: 'pl_test',
      SERVER_URL: home.url,
      AGENT_DATA_DIR: mkdtempSync(join(folder, 'data-')),
      AGENT_RUNTIMES_DIR: readRuntimesDir({}),
      AGENT_HEALTH_PORT: '0',
      JOB_CONCURRENCY: '2',
      TMPDIR: mkdtempSync(join(folder, 'tmp-')),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text
  })
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  cleanUps.push(async () => {
    const started = descendantsOf(child)
    child.kill('SIGKILL')
    await exit
    for (const one of stillAlive(started)) process.kill(Number(one.split(' ')[0]), 'SIGKILL')
    await until(() => stillAlive(started).length === 0, 'its processes to end', patienceMs)
  })
  const hasLogged = (event: string) => log.includes(`"msg":"${event}"`)
  await until(() => hasLogged('agent.ready'), 'the agent', patienceMs)
  const leftovers = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /^(tmp-\w+|data-\w+\/suite-runs)\/[^/]+$/.test(path))
      .filter((path) => !path.endsWith('/node-compile-cache'))
  return { home, child, exit, hasLogged, leftovers, log: () => log }
}

function statOf(pid: string): { parent: number; startedAt: string } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? null : { parent: Number(fields[1]), startedAt: fields[19] ?? '' }
  } catch {
    return null
  }
}

/** What the agent has started, and they in turn: as long as they live. */
function descendantsOf({ pid }: ChildProcess): string[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const found: string[] = []
  const parents = new Set([pid])
  for (let isNew = true; isNew; ) {
    isNew = false
    for (const one of all) {
      const stat = statOf(one)
      if (stat === null || !parents.has(stat.parent) || parents.has(Number(one))) continue
      parents.add(Number(one))
      found.push(`${one} ${stat.startedAt}`)
      isNew = true
    }
  }
  return found
}

const stillAlive = (known: string[]) =>
  known.filter((one) => statOf(one.split(' ')[0] ?? '')?.startedAt === one.split(' ')[1])

function isRunning(words: string): boolean {
  return readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(words))
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const browserJob = (url: string, path: string) =>
  jobExample(url, {
    checkType: 'BROWSER',
    variables: { BASE_URL: url },
    check: {
      checkType: 'BROWSER',
      name: 'Held',
      scriptPath: null,
      dependencies: [],
      script: `import { expect, test } from '@playwright/test'
test('is held', async ({ page }) => {
  test.setTimeout(200_000)
  await page.goto(process.env.BASE_URL + '${path}', { timeout: 200_000 })
  await expect(page).toHaveTitle('Open')
})`,
    },
  })

/** In the middle of its install command: a process in a cell, without anything from a registry. */
const suiteJob = (url: string, mark: string) =>
  jobExample(url, {
    checkType: 'PLAYWRIGHT',
    check: { checkType: 'PLAYWRIGHT', name: 'Held suite', installCommand: `node wait.mjs ${mark}` },
  })

const suiteBundle = bundleBytes([
  { name: 'package.json', content: '{"name":"held","private":true}' },
  { name: 'wait.mjs', content: 'setInterval(() => undefined, 1_000)' },
])

describe('an agent that receives SIGTERM', () => {
  it('finishes a browser check, claims no other, and leaves no processes or files', {
    timeout: 300_000,
  }, async () => {
    const hold = await openHold()
    const { home, child, exit, hasLogged, leftovers } = await startAgent()
    home.give(browserJob(hold.url, '/first'))
    await until(() => hold.isAsked('/first'), 'the browser', patienceMs)
    const processes = descendantsOf(child)
    expect(processes.length).toBeGreaterThan(2)
    child.kill('SIGTERM')
    await until(() => hasLogged('agent.draining'), 'draining', patienceMs)
    home.give(browserJob(hold.url, '/second'))
    await until(() => home.presences.at(-1)?.state === 'draining', 'the word', patienceMs)
    hold.release('/first')
    expect(await exit).toBe(0)
    expect(home.results.map(({ outcome, failure }) => [outcome, failure])).toEqual([['passed', null]])
    expect(hold.isAsked('/second')).toBe(false)
    await until(() => stillAlive(processes).length === 0, 'its processes to end', patienceMs)
    expect(leftovers()).toEqual([])
  })

  it('cancels a browser check and a suite after its patience, and leaves no processes or files', {
    tags: ['story'],
    timeout: 300_000,
  }, async () => {
    const hold = await openHold()
    const parent = spawn('sleep', ['600'])
    cleanUps.push(() => parent.kill('SIGKILL'))
    const { home, child, exit, leftovers, log } = await startAgent({ AGENT_PARENT_PID: String(parent.pid) })
    const mark = `mark-${crypto.randomUUID()}`
    home.bundle = suiteBundle
    home.give(browserJob(hold.url, '/page'), suiteJob(hold.url, mark))
    const areAtWork = () => hold.isAsked('/page') && isRunning(`wait.mjs\0${mark}`)
    await until(() => areAtWork() || home.results.length > 0, 'both to be at work', patienceMs)
    expect(home.results, log()).toEqual([])
    const processes = descendantsOf(child)
    parent.kill('SIGKILL')
    expect(await exit).toBe(0)
    // Reported in time, or found by the end of the lease; never reported as a failure of the check.
    expect(home.results.filter(({ outcome }) => outcome !== 'cancelled')).toEqual([])
    expect(home.results.length).toBeLessThanOrEqual(2)
    expect(home.problems).toEqual([])
    await until(() => stillAlive(processes).length === 0, 'its processes to end', patienceMs)
    expect(leftovers()).toEqual([])
  })
})
