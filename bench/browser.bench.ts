// A browser check on the agent compared with `npx playwright test` of the same file, on the same browser, Node and packages,
// in turns. Ours includes everything from the job to the reported result, with isolation and evidence. CPU is that of all
// processes that a run causes: the agent's, those of the run, and those of the host that is started ahead of the next run.
// npm run bench -- browser [rounds] [trivial|three steps]. BENCH_RATE=off skips the minutes with a fixed rate.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ReportedResult } from '@vedette/contracts'
import { type AgentProcess, startAgent } from './agent-process.ts'
import { type Peer, preparePeer } from './browser-peer.ts'
import { scripts } from './browser-scripts.ts'
import { Closers } from './closers.ts'
import { type JobServer, startJobServer } from './job-server.ts'
import { browserJob } from './jobs.ts'
import { median } from './load.ts'
import { type CpuByKind, differenceOf, ProcessCpu, sumOf } from './process-cpu.ts'
import { memoryOf, memoryText } from './process-memory.ts'
import { childrenOf, freePort, startProgram } from './server-process.ts'

const rounds = Number(process.argv[2] ?? 5)
const names = Object.keys(scripts).filter((name) => name === (process.argv[3] ?? name)) as Name[]
/** Of the trivial script. What a page does costs the same on both sides, so others are nearer to 1. */
const goals = {
  test: { wall: 0.19, cpu: 0.35 },
  plain: { wall: 0.08, cpu: 0.25 },
} as const
/** Runs a minute on two cores. */
const rates: readonly (readonly [Style, number])[] = [
  ['plain', 80],
  ['test', 80],
]
/** How long a due run may wait until it starts. */
const maxLagMs = 1_000

type Style = keyof typeof goals
type Name = keyof typeof scripts

interface Spent {
  wallMs: number
  cpu: CpuByKind
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
  const cpu = new ProcessCpu(agent.pid, kindOf)
  closers.add(() => cpu.stop())
  const peer = preparePeer()
  closers.add(() => peer.remove())
  let isMet = true
  for (const name of names) {
    const isGood = await Promise.race([measure(name, { jobs, peer, url, cpu }), agent.died])
    isMet &&= isGood
  }
  if (process.env.BENCH_RATE !== 'off')
    for (const [style, runsPerMinute] of rates)
      isMet = (await printRate({ jobs, url, cpu }, style, runsPerMinute)) && isMet
  await printMemory(jobs, agent, url)
  return isMet
}

interface Stage {
  jobs: JobServer
  peer: Peer
  url: string
  cpu: ProcessCpu
}

async function measure(name: Name, stage: Stage): Promise<boolean> {
  const theirs: Spent[] = []
  let isMet = true
  console.log(`${name}:`)
  for (const style of ['test', 'plain'] as const) {
    const spent: Spent[] = []
    const paired: Spent[] = []
    // Warm-up: files are read, code is compiled, and the next host is of this style.
    await runOurs(scripts[name][style], stage)
    await runPeer(scripts[name].test, stage)
    for (let round = 0; round < rounds; round++) {
      spent.push(await runOurs(scripts[name][style], stage))
      paired.push(await runPeer(scripts[name].test, stage))
    }
    theirs.push(...paired)
    print(style === 'test' ? 'agent, @playwright/test' : 'agent, plain script', spent)
    isMet = judge(name, style, spent, paired) && isMet
    printKinds(spent)
  }
  print('npx playwright test', theirs)
  printKinds(theirs)
  return isMet
}

function judge(name: Name, style: Style, spent: readonly Spent[], theirs: readonly Spent[]): boolean {
  const ratio = (of: (one: Spent) => number) =>
    median(spent.map((one, round) => of(one) / of(theirs[round] ?? one)))
  const found = { wall: ratio(({ wallMs }) => wallMs), cpu: ratio(({ cpu }) => sumOf(cpu)) }
  if (name !== 'trivial') {
    console.log(`    wall time ${found.wall.toFixed(2)}×, CPU ${found.cpu.toFixed(2)}×`)
    return true
  }
  const isMet = found.wall <= goals[style].wall && found.cpu <= goals[style].cpu
  const text = (kind: 'wall' | 'cpu') => `${found[kind].toFixed(2)}× (goal ${goals[style][kind]}×)`
  console.log(`    wall time ${text('wall')}, CPU ${text('cpu')} — ${isMet ? 'met' : 'MISSED'}`)
  return isMet
}

function print(label: string, spent: readonly Spent[]): void {
  const wall = median(spent.map(({ wallMs }) => wallMs))
  const cpu = median(spent.map(({ cpu }) => sumOf(cpu)))
  console.log(
    `  ${label.padEnd(26)} ${wall.toFixed(0).padStart(6)} ms wall ${cpu.toFixed(0).padStart(6)} ms CPU`,
  )
}

function printKinds(spent: readonly Spent[]): void {
  const kinds = [...new Set(spent.flatMap(({ cpu }) => [...cpu.keys()]))]
  const rows = kinds.map((kind) => ({ kind, ms: median(spent.map(({ cpu }) => cpu.get(kind) ?? 0)) }))
  for (const { kind, ms } of rows.filter(({ ms }) => ms >= 5).toSorted((a, b) => b.ms - a.ms))
    console.log(`      ${ms.toFixed(0).padStart(5)} ms  ${kind}`)
}

async function runOurs(script: string, { jobs, url, cpu }: Stage): Promise<Spent> {
  await quiet(cpu)
  const before = cpu.read()
  const begin = performance.now()
  const results = await jobs.runOnce(browserJob(script, { SHOP_URL: url }), 1)
  const wallMs = performance.now() - begin
  check(results)
  await quiet(cpu)
  return { wallMs, cpu: differenceOf(cpu.read(), before) }
}

async function runPeer(script: string, { peer, url }: Stage): Promise<Spent> {
  let cpu: ProcessCpu | null = null
  const begin = performance.now()
  await peer.run(script, url, (pid) => {
    cpu = new ProcessCpu(pid, kindOf)
  })
  const wallMs = performance.now() - begin
  return { wallMs, cpu: (cpu as ProcessCpu | null)?.stop() ?? new Map() }
}

function check(results: readonly ReportedResult[]): void {
  const bad = results.find(({ outcome }) => outcome !== 'passed')
  if (bad) throw new Error(`a run did not pass: ${JSON.stringify(bad.failure)}`)
}

/** Waits until the agent and its processes do no more work after the last run. */
async function quiet(cpu: ProcessCpu): Promise<void> {
  let idle = 0
  for (let turn = 0; turn < 600 && idle < 15; turn++) {
    const before = sumOf(cpu.read())
    await sleep(100)
    idle = sumOf(cpu.read()) - before < 20 && !cpu.isBusy ? idle + 1 : 0
  }
}

/** What a process is, by its command. */
function kindOf(command: string): string {
  const browserPart = /--type=([\w-]+)/.exec(command)?.[1]
  if (browserPart) return `browser, ${browserPart}`
  if (/headless[-_]shell|chromium/.test(command) && /--remote-debugging/.test(command)) return 'browser'
  if (/supervisor\.mjs/.test(command)) return 'supervisor'
  if (/host\.cjs/.test(command)) return 'host'
  if (/worker\.cjs|common\/process\.js/.test(command)) return 'worker of the test runner'
  if (/playwright test/.test(command)) return /npx|npm exec/.test(command) ? 'npx' : 'test runner'
  if (/vedette|agent/.test(command) && /node/.test(command)) return 'agent'
  return command === '' ? '' : 'other'
}

/** Runs of the trivial script at a fixed rate for a minute. */
async function printRate(
  { jobs, url, cpu }: Omit<Stage, 'peer'>,
  style: Style,
  runsPerMinute: number,
): Promise<boolean> {
  await quiet(cpu)
  const before = cpu.read()
  const job = browserJob(scripts.trivial[style], { SHOP_URL: url })
  const options = { everyMs: 60_000 / runsPerMinute, count: runsPerMinute }
  const { results, lagsMs } = await jobs.runEvery(job, options)
  check(results)
  await quiet(cpu)
  const cpuMs = sumOf(differenceOf(cpu.read(), before)) / runsPerMinute
  const lags = lagsMs.toSorted((a, b) => a - b)
  const times = results.map(({ responseTimeMs }) => responseTimeMs ?? 0).toSorted((a, b) => a - b)
  const isMet = (lags.at(-1) ?? 0) <= maxLagMs
  console.log(
    `${runsPerMinute} runs a minute, ${style}: started at most ${lags.at(-1)?.toFixed(0)} ms late (goal ${maxLagMs}) — ${isMet ? 'met' : 'MISSED'}; ` +
      `run time median ${median(times).toFixed(0)} ms, longest ${times.at(-1)?.toFixed(0)} ms; ${cpuMs.toFixed(0)} ms CPU per run`,
  )
  return isMet
}

/** The memory of one run with all its processes, alone and while four runs keep their page open. */
async function printMemory(jobs: JobServer, agent: AgentProcess, url: string): Promise<void> {
  const script = `import { test } from '@playwright/test'
test('holds', async ({ page }) => { await page.goto(process.env.SHOP_URL + '/'); await page.waitForTimeout(6000) })`
  for (const count of [1, 4]) {
    await sleep(3_000)
    const running = jobs.runOnce(browserJob(script, { SHOP_URL: url }), count)
    let isOver = false
    const end = () => {
      isOver = true
    }
    running.then(end, end)
    // The largest of all samples: a busy machine takes its time until all browsers are open.
    let most = { runs: 0, rssMb: 0, pssMb: 0 }
    while (!isOver) {
      await sleep(500)
      const busy = runsOf(agent.pid)
      const total = memoryOf(busy.flat())
      if (busy.length > most.runs || (busy.length === most.runs && total.pssMb > most.pssMb))
        most = { runs: busy.length, ...total }
    }
    check(await running)
    const each = { rssMb: most.rssMb / most.runs, pssMb: most.pssMb / most.runs }
    console.log(`memory of a run, ${most.runs} at once: ${memoryText(each)} each`)
  }
}

/** The processes of each run that has a browser. */
function runsOf(agent: number): number[][] {
  const cells = childrenOf(agent).map((pid) => [pid, ...descendants(pid)])
  return cells.filter((pids) => pids.some(isBrowser))
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
