// kill -9 of the agent during each kind of run, and while a cell starts, leaves no process and no mount. Directories, with cgroups, are removed by the next start.
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { npmEnvironment } from '../config.ts'
import { AgentServer, jobExample } from '../connection/agent-server.fixture.ts'
import { closeListeners, serve } from '../net/listeners.fixture.ts'
import { checkoutRuntime, installPatienceMs } from '../runtimes/installed-runtime.fixture.ts'
import { checkout, newMark, nodeArgs, processesWith } from '../sandbox/cell.fixture.ts'
import { type ScriptedModel, startModel } from './agentic/agentic.fixture.ts'
import { bundleBytes } from './suite/bundle.fixture.ts'

let server: AgentServer
let model: ScriptedModel
let temporary: string
let dataDir: string
let agent: ChildProcess | null = null
let target: string
/** Requests that never get a response: what asks has come that far. */
let visits = 0

beforeAll(async () => {
  await checkoutRuntime()
  target = await serve(() => {
    visits += 1
  })
}, installPatienceMs)
afterAll(closeListeners)

beforeEach(async () => {
  visits = 0
  server = new AgentServer()
  await server.listen()
  model = await startModel([[['navigate', { intent: 'Open the shop', url: target }]]])
  // The paths of sockets are short.
  temporary = mkdtempSync(join(tmpdir(), 'killed-'))
  dataDir = mkdtempSync(join(tmpdir(), 'killed-data-'))
})
afterEach(async () => {
  agent?.kill('SIGKILL')
  await Promise.all([server.kill(), model.close()])
  for (const folder of [temporary, dataDir]) rmSync(folder, { recursive: true, force: true })
})

async function startAgent(mark: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
    env: {
      ...npmEnvironment(),
      PATH: process.env.PATH,
      API_KEY: 'pl_test',
      SERVER_URL: server.url,
      AGENT_DATA_DIR: dataDir,
      AGENT_HEALTH_PORT: '0',
      AGENT_RUNTIMES_DIR: fileURLToPath(
        new URL('../../../../node_modules/.vedette-runtimes', import.meta.url),
      ),
      MODEL_URL: model.settings.url,
      MODEL_NAME: 'test-model',
      TMPDIR: temporary,
      MARK: mark,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  agent = child
  let log = ''
  child.stderr?.on('data', (chunk) => {
    log += chunk
  })
  await expect.poll(() => log).toContain('agent.ready')
  return child
}

/** Leaves a process in a session of its own, then visits the target and waits for its response. */
const staying = (mark: string) => `
  const env = { ...process.env, MARK: '${mark}' }
  require('node:child_process').spawn('/bin/sleep', ['600'], { env, detached: true, stdio: 'ignore' }).unref()
  await fetch('${target}')`
const asTest = (code: string) =>
  `import { test } from '@playwright/test'\ntest('stays', async ({ page }) => {\n await page.setContent('x')\n${code}\n})`
const asSteps = (code: string) =>
  `import { test } from '@playwright/test'\ntest('stays', async () => {\n${code}\n})`
const manifest = { name: 'suite', private: true, devDependencies: { '@playwright/test': '1.58.2' } }
const prompt = 'Open the shop'

const jobs: Record<string, (code: string) => Partial<Job>> = {
  'a setup script': () => ({ setup: [{ name: 'Stays', script: `await fetch('${target}')` }] }),
  'a browser check': (code) => scripted('BROWSER', asTest(code)),
  'a plain script': (code) => scripted('BROWSER', code),
  'a multi-step check': (code) => scripted('MULTI_STEP', asSteps(code)),
  'a suite': () => ({ checkType: 'PLAYWRIGHT', check: { checkType: 'PLAYWRIGHT', name: 'Stays' } }),
  'a prompt': () => ({ checkType: 'AGENTIC', check: { checkType: 'AGENTIC', name: 'Stays', prompt } }),
  'a prompt that is replayed': (code) => ({
    checkType: 'AGENTIC',
    check: { checkType: 'AGENTIC', name: 'Stays', prompt },
    agenticScript: {
      script: asTest(code),
      promptHash: createHash('sha256').update(prompt).digest('hex'),
      isRepairProposed: true,
    },
  }),
}

const scripted = (checkType: 'BROWSER' | 'MULTI_STEP', script: string): Partial<Job> => ({
  checkType,
  check: { checkType, name: 'Stays', script, scriptPath: null, dependencies: [] },
})

const runsOfSuites = () => {
  const folder = join(dataDir, 'suite-runs')
  return existsSync(folder) ? readdirSync(folder) : []
}
/** Others may mount something meanwhile. */
const mounts = () =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => [temporary, dataDir].some((folder) => line.includes(folder)))
/** Of the runs of this agent. */
const cgroups = (agentPid: number) =>
  readdirSync('/sys/fs/cgroup', { recursive: true, encoding: 'utf8' }).filter((path) =>
    new RegExp(`/runs/[^/]*\\b${agentPid}\\b`).test(path),
  )

/** All processes below the agent, by parents; those in a namespace have their supervisor as parent. */
function descendants(pid: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      return [{ pid: Number(name), parent: Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) }]
    } catch {
      return []
    }
  })
  const below = (of: number): number[] =>
    parents.filter(({ parent }) => parent === of).flatMap((child) => [child.pid, ...below(child.pid)])
  return below(pid)
}

const isRunning = (pid: number) => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
  } catch {
    return false
  }
}

it.each(Object.entries(jobs))('during %s', { timeout: 240_000 }, async (_name, jobOf) => {
  const mark = newMark()
  server.bundle = bundleBytes([
    { name: 'package.json', content: JSON.stringify(manifest) },
    { name: 'playwright.config.ts', content: 'export default { retries: 0 }' },
    { name: 'stays.spec.ts', content: asTest(staying(mark)) },
  ])
  const first = await startAgent(mark)
  server.give(jobExample(target, { runtimeId: null, ...jobOf(staying(mark)) }))
  const failures = () => server.results.map(({ failure }) => failure?.message)
  await expect.poll(() => [visits > 0, ...failures()], { timeout: 180_000 }).toEqual([true])
  const running = descendants(first.pid ?? 0)
  expect(running.length).toBeGreaterThan(0)
  const gone = once(first, 'close')
  first.kill('SIGKILL')
  await gone
  await expect.poll(() => [...running.filter(isRunning), ...processesWith(mark)]).toEqual([])
  expect(mounts()).toEqual([])
  expect(readdirSync(temporary)).not.toEqual([])

  const next = await startAgent(mark)
  const own = readdirSync(temporary).filter((name) => !name.includes(`-${next.pid}-`))
  expect(own).toEqual([])
  expect([runsOfSuites(), cgroups(first.pid ?? 0)]).toEqual([[], []])
  const closed = once(next, 'close')
  next.kill('SIGTERM')
  await closed
  expect(readdirSync(temporary)).toEqual([])
})

const opensCell = `
  import { networkPolicy } from '@vedette/safeguards/address-policy'
  import { codeLimits } from '${new URL('../sandbox/code-limits.ts', import.meta.url)}'
  import { cellOpener, openCells } from '${new URL('../sandbox/open-cell.ts', import.meta.url)}'
  await openCells('auto')
  console.log('opens a cell')
  const cell = { mounts: [], limits: codeLimits, network: networkPolicy({ mode: 'public' }) }
  await cellOpener('auto')(cell, new AbortController().signal)
  setInterval(() => {}, 1_000)`

/** Cells have the directory in the arguments of their first process. */
const startedCells = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(temporary)
    } catch {
      return false
    }
  })

it('at each moment of the start of a cell', { timeout: 240_000 }, async () => {
  for (let afterMs = 0; afterMs < 120; afterMs += 6) {
    const child = spawn(process.execPath, [...nodeArgs, '-e', opensCell], {
      ...{ cwd: checkout, env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'inherit'] },
    })
    agent = child
    const gone = once(child, 'close')
    const [line] = await Promise.race([once(child.stdout, 'data'), gone])
    expect(`${line}`).toContain('opens a cell')
    await sleep(afterMs)
    child.kill('SIGKILL')
    await gone
    await expect.poll(startedCells, { timeout: 20_000, message: `killed after ${afterMs} ms` }).toEqual([])
  }
  expect(mounts()).toEqual([])
})
