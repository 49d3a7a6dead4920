// The memory of a whole installation as `npm start` starts it, with 100 URL checks a minute and then also with one hourly
// browser check. Proportional set sizes (PSS), so that those of processes add up.
// npm run bench -- idle. BENCH_IDLE_SECONDS (300) and BENCH_CHECKS (100) shorten it.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Caller, createCheck, runCheck } from './api-calls.ts'
import { Closers } from './closers.ts'
import { memoryOf } from './process-memory.ts'
import { childrenOf, endProgram, freePort, startProgram } from './server-process.ts'

const seconds = Number(process.env.BENCH_IDLE_SECONDS ?? 300)
const checks = Number(process.env.BENCH_CHECKS ?? 100)
const goals = { idleMb: 240, peakMb: 400 }

/** `build`: of the web app, only after its sources changed. `npm` isn't ours: printed, not counted. */
const kinds = ['server', 'agent', 'code', 'postgres', 'wrappers', 'build', 'npm'] as const
type Kind = (typeof kinds)[number]
type Sample = Record<Kind, number>

const closers = new Closers()
try {
  process.exitCode = (await measure()) ? 0 : 1
} finally {
  await closers.close()
}

async function measure(): Promise<boolean> {
  const targetPort = await freePort()
  const target = await startProgram('./probe-target.ts', {
    PLAIN_PORT: String(targetPort),
    TLS_PORT: String(await freePort()),
  })
  closers.add(() => target.stop())
  const installation = await startInstallation()
  const peak = watchPeak(installation)
  closers.add(() => peak.stop())
  const caller = await installation.ready
  for (let index = 0; index < checks; index++)
    await createCheck(caller, 'url', {
      name: `Page ${index}`,
      frequency: 1,
      locations: ['eu-west-1'],
      request: { url: `http://127.0.0.1:${targetPort}/${index}` },
    })
  const untilMs = installation.startedAt + seconds * 1000 - performance.now()
  await sleep(Math.max(0, untilMs))
  const idle = await settledSample(installation)
  console.log(`${checks} URL checks a minute, ${seconds} s after the start:`)
  const isIdleMet = print(idle, goals.idleMb)
  console.log('peak until then, sampled each second:')
  const isPeakMet = print(peak.highest(), goals.peakMb)
  peak.stop()
  const isBrowserMet = await measureWithBrowser(installation, caller)
  return isIdleMet && isPeakMet && isBrowserMet
}

/** It is triggered once: its own slot may be an hour away. */
async function measureWithBrowser(installation: Installation, caller: Caller): Promise<boolean> {
  const check = await createCheck(caller, 'browser', {
    name: 'Hourly',
    frequency: 60,
    locations: ['eu-west-1'],
    script: `const { test } = require('@playwright/test')
test('opens a page', async ({ page }) => { await page.goto('about:blank') })`,
  })
  const peak = watchPeak(installation)
  const begin = performance.now()
  const status = await runCheck(caller, check)
  const took = ((performance.now() - begin) / 1000).toFixed(1)
  console.log(`a browser check, triggered: ${status} after ${took} s`)
  peak.stop()
  console.log('with an hourly browser check, peak during its run:')
  print(peak.highest(), null)
  const soon = Math.min(60, seconds)
  await sleep(soon * 1000)
  console.log(`${soon} s after its run:`)
  print(await settledSample(installation), null)
  await sleep((seconds - soon) * 1000)
  console.log(`${seconds} s after its run, as long as after the start above:`)
  return print(await settledSample(installation), goals.idleMb)
}

interface Installation {
  pid: number
  dataDir: string
  startedAt: number
  ready: Promise<Caller>
}

async function startInstallation(): Promise<Installation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'vedette-bench-idle-'))
  const [port, healthPort] = [await freePort(), await freePort()]
  const startedAt = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
    // Its own session: Ctrl-C reaches it through this program.
    detached: true,
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      AGENT_HEALTH_PORT: String(healthPort),
      LOG_LEVEL: 'warn',
      RATE_LIMIT_FACTOR: '1000',
    },
  })
  closers.add(() => rmSync(dataDir, { recursive: true, force: true }))
  closers.add(() => endProgram(child))
  const ready = welcome(child).then((text) => {
    const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
    return {
      url: `http://127.0.0.1:${port}`,
      key: find(/API key\s+(\S+)/),
      accountId: find(/Account id\s+(\S+)/),
    }
  })
  if (child.pid === undefined) throw new Error("npm can't be started")
  return { pid: child.pid, dataDir, startedAt, ready }
}

function welcome(child: ChildProcess): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk
      if (/accounts\/me\n/.test(text)) resolve(text)
    })
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${text}`)))
  })
}

function watchPeak(installation: Installation): { highest(): Sample; stop(): void } {
  let highest = empty()
  const timer = setInterval(() => {
    const sample = sampleOf(installation)
    if (counted(sample) > counted(highest)) highest = sample
  }, 1_000)
  return { highest: () => highest, stop: () => clearInterval(timer) }
}

/** The median of some samples, so that a garbage collection doesn't decide. */
async function settledSample(installation: Installation): Promise<Sample> {
  const samples: Sample[] = []
  for (let count = 0; count < 9; count++) {
    samples.push(sampleOf(installation))
    await sleep(1_000)
  }
  const sorted = samples.toSorted((a, b) => counted(a) - counted(b))
  return sorted[4] ?? empty()
}

function sampleOf({ pid, dataDir }: Installation): Sample {
  const sample = empty()
  const visit = (one: number, parent: Kind) => {
    const kind = kindOf(one, parent)
    sample[kind] += memoryOf([one]).pssMb
    for (const child of childrenOf(one)) visit(child, kind)
  }
  visit(pid, 'npm')
  // A process of its own, in case nothing of the tree is its parent.
  const postmaster = postmasterOf(dataDir)
  if (postmaster !== null && sample.postgres === 0) visit(postmaster, 'postgres')
  return sample
}

function kindOf(pid: number, parent: Kind): Kind {
  const command = commandOf(pid)
  if (command.includes('packages/server/src/main.ts')) return 'server'
  if (command.includes('packages/agent/src/main.ts')) return 'agent'
  if (command.includes('build-web.mjs')) return 'build'
  if (/^(\S*\/)?postgres\b/.test(command)) return 'postgres'
  if (parent === 'agent') return 'code'
  if (parent === 'npm')
    return /^npm start|npm-cli/.test(command) || command.startsWith('npm') ? 'npm' : 'wrappers'
  return parent === 'server' ? 'wrappers' : parent
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function postmasterOf(dataDir: string): number | null {
  try {
    return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  } catch {
    return null
  }
}

function empty(): Sample {
  return { server: 0, agent: 0, code: 0, postgres: 0, wrappers: 0, build: 0, npm: 0 }
}

/** Everything of ours; the build of the web app happens once after an upgrade of a checkout. */
function counted({ npm: _npm, build: _build, ...ours }: Sample): number {
  return Object.values(ours).reduce((sum, mb) => sum + mb, 0)
}

function print(sample: Sample, goalMb: number | null): boolean {
  const parts = kinds.map((kind) => `${kind} ${sample[kind].toFixed(0)}`).join(', ')
  const total = counted(sample)
  const isMet = goalMb === null || total <= goalMb
  const goal = goalMb === null ? '' : ` (goal ${goalMb} MB) — ${isMet ? 'met' : 'MISSED'}`
  console.log(`  ${total.toFixed(0)} MB PSS${goal}: ${parts}`)
  return isMet
}
