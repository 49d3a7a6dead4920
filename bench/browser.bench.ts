// A browser check on the agent compared with `npx playwright test` of the same file, on the same browser, Node and packages,
// in turns. Ours includes everything from the job to the reported result, with isolation and evidence. CPU is that of the
// machine, all processes; for ours until the next process is ready. Run it on an idle machine.
// npm run bench -- browser [rounds]
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ReportedResult } from '@vedette/contracts'
import { type AgentProcess, startAgent } from './agent-process.ts'
import { scripts } from './browser-scripts.ts'
import { Closers } from './closers.ts'
import { type JobServer, startJobServer } from './job-server.ts'
import { browserJob } from './jobs.ts'
import { median } from './load.ts'
import { memoryOf, memoryText } from './process-memory.ts'
import { childrenOf, freePort, startProgram } from './server-process.ts'

const [rounds = 5] = process.argv.slice(2).map(Number)
const goals = { test: 0.6, plain: 0.25 } as const
type Style = keyof typeof goals
type Name = keyof typeof scripts

interface Spent {
  wallMs: number
  cpuMs: number
}

const closers = new Closers()
try {
  process.exitCode = (await compare()) ? 0 : 1
} finally {
  await closers.close()
}

async function compare(): Promise<boolean> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const target = await startProgram('./shop-target.ts', { TARGET_PORT: String(port) })
  closers.add(() => target.stop())
  const jobs = await startJobServer()
  closers.add(() => jobs.close())
  const agent = await startAgent({ API_KEY: 'bench', SERVER_URL: jobs.url, JOB_CONCURRENCY: '4' })
  closers.add(() => agent.stop())
  await Promise.race([jobs.claimed, agent.died])
  const peer = preparePeer()
  const measured = measure(jobs, peer, url)
  const isMet = await Promise.race([measured, agent.died])
  await printMemory(jobs, agent, url)
  return isMet
}

async function measure(jobs: JobServer, peer: Peer, url: string): Promise<boolean> {
  let isMet = true
  for (const name of Object.keys(scripts) as Name[]) {
    const spent: Record<Style | 'peer', Spent[]> = { test: [], plain: [], peer: [] }
    const ours = (style: Style) => runOurs(jobs, scripts[name][style], url)
    const theirs = () => peer.run(scripts[name].test, url)
    // Warm-up: files are read, code is compiled.
    for (const run of [() => ours('test'), () => ours('plain'), theirs]) await run()
    for (let round = 0; round < rounds; round++) {
      spent.test.push(await ours('test'))
      spent.peer.push(await theirs())
      spent.plain.push(await ours('plain'))
    }
    console.log(`${name}:`)
    print('npx playwright test', spent.peer)
    for (const style of ['test', 'plain'] as const) {
      const ratio = median(
        spent[style].map(({ wallMs }, round) => wallMs / (spent.peer[round] as Spent).wallMs),
      )
      const isGood = ratio <= goals[style]
      isMet &&= isGood
      print(style === 'test' ? 'agent, @playwright/test' : 'agent, plain script', spent[style])
      console.log(
        `    ${ratio.toFixed(2)}× of its wall time (goal ${goals[style]}×) — ${isGood ? 'met' : 'MISSED'}`,
      )
    }
  }
  return isMet
}

function print(label: string, spent: readonly Spent[]): void {
  const wall = median(spent.map(({ wallMs }) => wallMs))
  const cpu = median(spent.map(({ cpuMs }) => cpuMs))
  console.log(
    `  ${label.padEnd(26)} ${wall.toFixed(0).padStart(6)} ms wall ${cpu.toFixed(0).padStart(6)} ms CPU`,
  )
}

async function runOurs(jobs: JobServer, script: string, url: string): Promise<Spent> {
  await quiet()
  const before = busyMs()
  const begin = performance.now()
  const results = await jobs.runOnce(browserJob(script, { SHOP_URL: url }), 1)
  const wallMs = performance.now() - begin
  check(results)
  await quiet()
  return { wallMs, cpuMs: busyMs() - before }
}

function check(results: readonly ReportedResult[]): void {
  const bad = results.find(({ outcome }) => outcome !== 'passed')
  if (bad) throw new Error(`a run did not pass: ${JSON.stringify(bad.failure)}`)
}

/** Waits until no process starts or ends any more after the last run. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) {
    const before = busyMs()
    await sleep(250)
    if (busyMs() - before < 60) return
  }
}

/** CPU time of all processes since the start of the machine. */
function busyMs(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (
    readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .map(Number)
  return (user + nice + system + irq + softirq) * 10
}

interface Peer {
  run(script: string, url: string): Promise<Spent>
}

function preparePeer(): Peer {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-browser-'))
  closers.add(() => rmSync(folder, { recursive: true, force: true }))
  const runtime = findRuntime()
  symlinkSync(join(runtime, 'node_modules'), join(folder, 'node_modules'))
  mkdirSync(join(folder, 'tests'))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const launchOptions = { executablePath: findChromium(), args: ['--no-sandbox'] }
  const config = { testDir: './tests', workers: 1, use: { launchOptions } }
  writeFileSync(join(folder, 'playwright.config.js'), `module.exports = ${JSON.stringify(config)}`)
  const node = dirname(
    join(runtime, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node'),
  )
  return {
    async run(script, url) {
      writeFileSync(join(folder, 'tests', 'shop.spec.ts'), script)
      await quiet()
      const before = busyMs()
      const begin = performance.now()
      await command(folder, { ...process.env, PATH: `${node}:${process.env.PATH}`, SHOP_URL: url, CI: '' })
      const wallMs = performance.now() - begin
      await quiet()
      return { wallMs, cpuMs: busyMs() - before }
    },
  }
}

function command(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('npx', ['playwright', 'test', '--reporter=line'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  return new Promise((settle, fail) => {
    child.once('error', fail)
    child.once('close', (code) =>
      code === 0 ? settle() : fail(new Error(`npx playwright test ended with ${code}: ${text}`)),
    )
  })
}

/** The installation of this checkout, which the agent uses. */
function findRuntime(): string {
  const folder = fileURLToPath(new URL('../node_modules/.vedette-runtimes/2026.04', import.meta.url))
  const found = readdirSync(folder).map((name) => join(folder, name))
  const runtime = found.find((path) => existsSync(join(path, 'node_modules', '@playwright', 'test')))
  if (!runtime) throw new Error('the runtime 2026.04 is not installed: npm run runtime -- install 2026.04')
  return runtime
}

function findChromium(): string {
  const candidates = [
    process.env.CHROMIUM_PATH,
    '/usr/lib/chromium/chromium-headless-shell',
    '/usr/bin/chromium-headless-shell',
  ]
  const found = candidates.find((path) => path !== undefined && existsSync(path))
  if (!found)
    throw new Error('there is no headless Chromium: install chromium-headless-shell, or set CHROMIUM_PATH')
  return found
}

/** The memory of one run with all its processes, while four runs keep their page open. */
async function printMemory(jobs: JobServer, agent: AgentProcess, url: string): Promise<void> {
  const script = `import { test } from '@playwright/test'
test('holds', async ({ page }) => { await page.goto(process.env.SHOP_URL + '/'); await page.waitForTimeout(6000) })`
  for (const count of [1, 4]) {
    await quiet()
    const running = jobs.runOnce(browserJob(script, { SHOP_URL: url }), count)
    await sleep(count === 1 ? 4_000 : 9_000)
    const cells = childrenOf(agent.pid).map((pid) => [pid, ...descendants(pid)])
    const busy = cells.filter((pids) => pids.some(isBrowser))
    const total = memoryOf(busy.flat())
    const each = { rssMb: total.rssMb / busy.length, pssMb: total.pssMb / busy.length }
    console.log(`memory of a run, ${busy.length} at once: ${memoryText(each)} each`)
    check(await running)
  }
}

function descendants(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendants(child)])
}

function isBrowser(pid: number): boolean {
  try {
    return /chrom|headless/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return false
  }
}
