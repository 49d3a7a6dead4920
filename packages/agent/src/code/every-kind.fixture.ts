// Every kind of run of user code, by the runners as the agent composes them, with cells that have small limits.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { npmEnvironment } from '../config.ts'
import { jobExample } from '../connection/agent-server.fixture.ts'
import { findBrowsers } from '../runtimes/browsers.ts'
import { checkoutRuntime } from '../runtimes/installed-runtime.fixture.ts'
import type { CellLevel, CellLimits, OpenCell } from '../sandbox/cell.ts'
import { makeBaseFolder } from '../sandbox/stage.ts'
import { agenticRunner, replayWith } from './agentic/run-agentic.ts'
import { browserArgs } from './browser-args.ts'
import type { CodeOutcome, CodeRunner } from './code-runner.ts'
import { compileCacheOf } from './script/compile-cache.ts'
import { scriptRunner } from './script/run-script.ts'
import { browsersFor } from './script/script.fixture.ts'
import { ScriptHosts } from './script/script-host.ts'
import { bundleBytes } from './suite/bundle.fixture.ts'
import { openDependencyCache } from './suite/dependency-cache.ts'
import { readRegistry } from './suite/registry.ts'
import { suiteRunner } from './suite/run-suite.ts'
import { suiteTimes } from './suite/suite-deps.ts'
import { openToolStore } from './suite/tool-store.ts'

export const kinds = [
  'a plain script',
  'a Playwright test',
  'a multi-step check',
  'a suite',
  'a prompt',
] as const

export type Kind = (typeof kinds)[number]

export interface EveryKind {
  /** `code`: the body of an async function, with `require`. The caller releases the outcome. */
  run(kind: Kind, code: string, limitMs?: number): Promise<CodeOutcome>
  /** Fills the compile cache of the runtime, as the first run ahead of its time does; returns its directory. */
  fillCompileCache(): Promise<string>
  /** Directories of runs that were released. */
  leftovers(): string[]
  close(): Promise<void>
}

const tools = fileURLToPath(new URL('../../../../node_modules/.vedette-suite-test', import.meta.url))
const asTest = (code: string) =>
  `import { test } from '@playwright/test'\ntest('runs', async () => {\n${code}\n})\n`
const manifest = { name: 'suite', private: true, devDependencies: { '@playwright/test': '1.58.2' } }

interface Settings {
  openCell: OpenCell
  level: CellLevel
  limits?: Partial<CellLimits>
}

export async function openEveryKind({ openCell, level, limits = {} }: Settings): Promise<EveryKind> {
  const base = makeBaseFolder()
  const dataDir = mkdtempSync(join(tmpdir(), 'vedette-kinds-'))
  const folders: string[] = []
  const openSmall: OpenCell = async (settings, signal) => {
    // An install needs more than a run.
    const isInstall =
      settings.limits.processes > 1_000 && !settings.mounts.some(({ to }) => /browsers/.test(to))
    const cell = await openCell(
      isInstall ? settings : { ...settings, limits: { ...settings.limits, ...limits } },
      signal,
    )
    folders.push(cell.folder)
    return cell
  }
  const runtime = await checkoutRuntime()
  const browsers = await browsersFor(runtime, level, base)
  const network = networkPolicy({ mode: 'default' })
  const hosts = new ScriptHosts({
    ...{ folder: join(base, 'programs'), openCell: openSmall, runtime, browsers, network },
  })
  const runScript = (limitMs: number) =>
    scriptRunner({ hostsOf: async () => ({ hosts, runtimeName: runtime.name }), limitMs })
  const runPrompt = (limitMs: number) =>
    agenticRunner({
      openCell: openSmall,
      runtime: async () => runtime,
      browsers: async () => browsers,
      model: null,
      replay: replayWith(runScript(limitMs)),
    })
  mkdirSync(tools, { recursive: true })
  const environment = npmEnvironment()
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const registry = await readRegistry(environment)
  const suiteDeps = {
    openCell: openSmall,
    browsers: { programs: () => findBrowsers({}), args: browserArgs(level) },
    runsFolder: join(dataDir, 'runs'),
    cache: await openDependencyCache({ folder: join(dataDir, 'cache'), maxBytes: 1e9, now: Date.now }),
    tools: await openToolStore({ folder: tools, npmEnvironment: environment, log }),
    registry: async () => registry,
  }
  const runSuite = (limitMs: number, bundle: Buffer) =>
    suiteRunner({
      ...suiteDeps,
      downloadBundle: async (_token, to) => writeFileSync(to, bundle),
      limits: { ...suiteTimes, runMs: limitMs },
    })
  const scripted = (checkType: 'BROWSER' | 'MULTI_STEP', script: string): Partial<Job> => ({
    checkType,
    check: { checkType, name: 'Hostile', script, scriptPath: null, dependencies: [] },
  })
  const jobs: Record<Kind, (code: string, limitMs: number) => [CodeRunner, Partial<Job>]> = {
    'a plain script': (code, limitMs) => [runScript(limitMs), scripted('BROWSER', code)],
    'a Playwright test': (code, limitMs) => [runScript(limitMs), scripted('BROWSER', asTest(code))],
    'a multi-step check': (code, limitMs) => [runScript(limitMs), scripted('MULTI_STEP', asTest(code))],
    'a suite': (code, limitMs) => [
      runSuite(
        limitMs,
        bundleBytes([
          { name: 'package.json', content: JSON.stringify(manifest) },
          { name: 'playwright.config.ts', content: 'export default { retries: 0 }' },
          { name: 'tests/hostile.spec.ts', content: asTest(code) },
        ]),
      ),
      { checkType: 'PLAYWRIGHT', check: { checkType: 'PLAYWRIGHT', name: 'Hostile' } },
    ],
    'a prompt': (code, limitMs) => [runPrompt(limitMs), promptJob(asTest(code))],
  }
  return {
    run(kind, code, limitMs = 120_000) {
      const [runner, changes] = jobs[kind](code, limitMs)
      return runner(jobExample('http://127.0.0.1/', changes), {
        signal: new AbortController().signal,
        clock: { now: () => Date.now(), monotonic: () => performance.now() },
        network,
        userAgent: 'Vedette/test',
      })
    },
    async fillCompileCache() {
      const kind = { style: 'plain', usesBrowser: false } as const
      hosts.keep([kind])
      const { cell } = await hosts.take(new AbortController().signal, kind)
      await cell.end()
      await cell.remove()
      return compileCacheOf(runtime)
    },
    leftovers: () => [
      ...folders.filter((folder) => existsSync(folder)),
      ...(existsSync(suiteDeps.runsFolder) ? readdirSync(suiteDeps.runsFolder) : []),
    ],
    async close() {
      await hosts.close()
      for (const folder of [base, dataDir]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A later run of a prompt, which replays its script. */
function promptJob(script: string): Partial<Job> {
  const prompt = 'Open the shop'
  const promptHash = createHash('sha256').update(prompt).digest('hex')
  return {
    checkType: 'AGENTIC',
    check: { checkType: 'AGENTIC', name: 'Hostile', prompt },
    agenticScript: { script, promptHash, isRepairProposed: true },
  }
}
