// Composes the runners of code checks: runtimes, browsers and isolation of this machine, and a runner per check type. Network
// checks never wait for any of it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Job, UpcomingCodeRun } from '@vedette/contracts'
import { defaultRuntimeId } from '@vedette/contracts/runtime-ids'
import { errorMessage } from '@vedette/safeguards/errors'
import { bundleDownloader, snapshotDownloader } from '../artifacts/download-bundle.ts'
import { uploadArtifacts } from '../artifacts/upload-artifacts.ts'
import { type Config, npmEnvironment } from '../config.ts'
import type { ServerClient } from '../connection/server-client.ts'
import type { AgentWaits } from '../core/agent-waits.ts'
import type { Log } from '../core/log.ts'
import type { RunJob } from '../run/runs-in-flight.ts'
import { findBrowsers } from '../runtimes/browsers.ts'
import { layOutBrowsers } from '../runtimes/browsers-folder.ts'
import { browserInstaller } from '../runtimes/install-browser.ts'
import { MissingError, missingBrowserMessage } from '../runtimes/missing.ts'
import type { InstalledRuntime } from '../runtimes/runtime.ts'
import { openRuntimes, type Runtimes } from '../runtimes/runtimes.ts'
import type { CellLevel, Isolation } from '../sandbox/cell.ts'
import { cellLevel, cellOpener, closeCells } from '../sandbox/open-cell.ts'
import { provideModules } from '../sandbox/sandbox.ts'
import { makeBaseFolder } from '../sandbox/stage.ts'
import { agenticRunner, replayWith } from './agentic/run-agentic.ts'
import { browserArgs } from './browser-args.ts'
import type { CodeContext } from './code-runner.ts'
import { EnsureInstalled } from './ensure-installed.ts'
import { codeJobRunner } from './run-code.ts'
import type { RuntimeState } from './script/host-starter.ts'
import { scriptRunner } from './script/run-script.ts'
import { ScriptHosts } from './script/script-host.ts'
import { openSuiteRunner } from './suite/run-suite.ts'
import { WarmHosts } from './warm-hosts.ts'

export interface CodeSettings {
  config: Config
  agentId: string
  client: ServerClient
  context: Omit<CodeContext, 'signal' | 'onLine'>
  log: Log
  onError(message: string): void
  /** How many code runs the agent makes at once. */
  capacity: number
}

export interface CodeExecutor {
  runJob: RunJob
  /** Receives the code runs that are due soon. */
  expectRuns(runs: readonly UpcomingCodeRun[]): void
  /** Called before runs with setup or teardown scripts, which may import packages of the default runtime. Never rejects. */
  providePackages(
    job: Pick<Job, 'setup' | 'teardown'>,
    signal: AbortSignal,
    waits?: AgentWaits,
  ): Promise<void>
  /** For health and presence. */
  facts(): Record<string, unknown>
  close(): Promise<void>
}

/** For all files of a run together: an unreachable server must not delay the result. */
const uploadMs = 120_000
/** For one message with log lines. */
const logMs = 5_000

export async function openCode(settings: CodeSettings): Promise<CodeExecutor> {
  const { config, client, context, log, agentId } = settings
  const npm = npmEnvironment()
  const runtimes = openRuntimes({
    runtimesDir: config.AGENT_RUNTIMES_DIR,
    names: config.AGENT_RUNTIMES.filter((name) => name !== 'none'),
    isInstalledOnNeed: !config.AGENT_RUNTIMES.includes('none'),
    npmEnvironment: npm,
    log,
  })
  let isolation = await findIsolation(config, log)
  const openCell = cellOpener(config.AGENT_SANDBOX, config.AGENT_LIMITS)
  const args = browserArgs(isolation.level === 'none' ? 'strong' : isolation.level)
  const programs = () =>
    findBrowsers({ chromiumPath: config.CHROMIUM_PATH, browsersPath: config.PLAYWRIGHT_BROWSERS_PATH })
  const folder = makeBaseFolder()
  const hasBrowser = () => programs().headlessShell !== null
  const foundBrowsers = () => {
    const { chromium, headlessShell, ffmpeg } = programs()
    return { chromium: chromium !== null, headlessShell: headlessShell !== null, video: ffmpeg !== null }
  }
  const browsers = once(async (runtime, layout) => {
    if (layout === 'browsers' && !hasBrowser()) throw new MissingError(missingBrowserMessage('chromium'))
    const playwrightCore = join(runtime.folder, 'node_modules', 'playwright-core')
    const into = join(folder, `${layout}-${runtime.name}`)
    return layOutBrowsers({ playwrightCore, into, browserArgs: args, programs: programs() })
  })
  const problems = new Map<string, string>()
  const started = new Set<string>()
  const noteLoaded = (runtime: string, { problem, coldReasons }: RuntimeState) => {
    if (problem === null) problems.delete(runtime)
    else problems.set(runtime, problem.slice(0, 500))
    // Logged once: every run starts a host.
    if (coldReasons.length > 0 && !started.has(runtime))
      log.warn({ runtime, reasons: coldReasons }, 'runtime.cold-start')
    if (problem !== null) log.error({ runtime, problem }, 'runtime.not-loaded')
    started.add(runtime)
  }
  const hosts = once(async (runtime, layout) => {
    const { network, lookup } = context
    return new ScriptHosts({
      folder: join(folder, `hosts-${layout}-${runtime.name}`),
      openCell,
      runtime,
      browsers: await browsers.get(runtime, layout),
      network,
      lookup,
      onTaken: (isWarm) => warm.noteTaken(isWarm),
      onLoaded: (state) => noteLoaded(runtime.name, state),
    })
  })
  // Multi-step checks also run on machines without a browser.
  const hostsFor = (type: Job['checkType'], runtime: InstalledRuntime) =>
    hosts.get(runtime, type === 'MULTI_STEP' && !hasBrowser() ? 'no-browsers' : 'browsers')
  const runtimeOf = (name: string | null, signal: AbortSignal) =>
    runtimes.get(name ?? defaultRuntimeId, signal)
  const installer = config.AGENT_BROWSER_INSTALLER
    ? browserInstaller({
        program: config.AGENT_BROWSER_INSTALLER,
        environment: { ...npm, ...(config.CHROMIUM_PATH && { CHROMIUM_PATH: config.CHROMIUM_PATH }) },
        log,
      })
    : null
  const needs = new EnsureInstalled({
    runtimes,
    hasBrowser,
    isIsolated: () => isolation.level !== 'none',
    system: installer && {
      installer,
      async onInstalled() {
        isolation = await cellLevel(config.AGENT_SANDBOX).catch(() => isolation)
      },
    },
  })
  const warm: WarmHosts = new WarmHosts({
    capacity: settings.capacity,
    async hostsOf(runtimeId, type) {
      if (type === 'PLAYWRIGHT') return null
      const runtime = runtimes.find(runtimeId ?? defaultRuntimeId)
      return runtime && hostsFor(type, runtime)
    },
  })
  const runScript = scriptRunner({
    async hostsOf({ runtimeId, checkType }, signal) {
      const runtime = await runtimeOf(runtimeId, signal)
      return { hosts: await hostsFor(checkType, runtime), runtimeName: runtime.name }
    },
    onReleased: (job, style) => warm.noteRun(job, style),
    downloadSnapshot: snapshotDownloader(client),
  })
  const model = config.MODEL_URL
    ? { url: config.MODEL_URL, name: config.MODEL_NAME, apiKey: config.MODEL_API_KEY ?? null }
    : null
  const suites = await openSuiteRunner({
    openCell,
    downloadBundle: bundleDownloader(client),
    browsers: { programs, args },
    dataDir: config.AGENT_DATA_DIR,
    cacheBytes: config.SUITE_CACHE_MB * 1_000_000,
    npmEnvironment: npm,
    now: () => context.clock.now(),
    log,
  })
  const runJob = codeJobRunner({
    context,
    prepare: (job, waiting) => needs.forRun(job, waiting),
    isolation: () => ({ level: isolation.level, limits: isolation.limits }),
    now: () => context.clock.now(),
    tempFolder: folder,
    onError: settings.onError,
    sendLog: async (message) => {
      const { isWanted } = await client.call('logs', JSON.stringify(message), { timeoutMs: logMs })
      return isWanted
    },
    upload: (files, how) => uploadArtifacts(files, { client, agentId, deadlineMs: uploadMs, ...how }),
    runners: {
      BROWSER: runScript,
      MULTI_STEP: runScript,
      PLAYWRIGHT: suites,
      AGENTIC: agenticRunner({
        openCell,
        runtime: runtimeOf,
        browsers: (runtime) => browsers.get(runtime, 'browsers'),
        model,
        replay: replayWith(runScript),
      }),
    },
  })
  return {
    runJob,
    expectRuns(runs) {
      for (const { type, runtimeId } of runs) needs.ahead({ checkType: type, runtimeId })
      warm.expect(runs)
    },
    providePackages: scriptPackages(runtimes, needs),
    facts: () => ({
      codeSandbox: isolation,
      runtimes: runtimes.states(),
      runtimeProblems: Object.fromEntries(problems),
      browsers: { ...foundBrowsers(), isInstalling: installer?.isInstalling ?? false },
      warmHosts: warm.facts(),
    }),
    async close() {
      warm.close()
      await runtimes.close()
      for (const opened of await hosts.all()) await opened.close()
      rmSync(folder, { recursive: true, force: true })
      await closeCells()
    },
  }
}

type FoundIsolation = Omit<Isolation, 'level'> & { level: CellLevel | 'none' }

async function findIsolation({ AGENT_SANDBOX, AGENT_LIMITS }: Config, log: Log): Promise<FoundIsolation> {
  const settings = { setting: AGENT_SANDBOX, limitsSetting: AGENT_LIMITS }
  try {
    const found = await cellLevel(AGENT_SANDBOX)
    const { level: isolation, layers, limits, limitsMissing, missing } = found
    const shown = { isolation, layers, limits, limitsMissing, ...(missing.length > 0 && { missing }) }
    log.info({ ...shown, ...settings }, 'sandbox.level')
    return found
  } catch (error) {
    log.error({ reason: errorMessage(error), ...settings }, 'sandbox.none')
    return { level: 'none', layers: [], missing: [], limits: 'polling' }
  }
}

/** Without an installed runtime, only scripts that import something wait for its installation. */
function scriptPackages(runtimes: Runtimes, needs: EnsureInstalled): CodeExecutor['providePackages'] {
  let provided: string | null = null
  return async ({ setup, teardown }, signal, waits) => {
    const end = waits?.begin()
    try {
      await needs.forScripts(signal)
      const imports = [...setup, ...teardown].some(({ script }) => /\b(?:require|import)\b/.test(script))
      const present = runtimes.find(defaultRuntimeId)
      const runtime = present ?? (imports ? await runtimes.get(defaultRuntimeId, signal) : null)
      if (runtime === null || runtime.folder === provided) return
      provided = runtime.folder
      await provideModules(join(runtime.folder, 'node_modules'))
    } catch {
      // The import of the script fails with an error that names the package.
    } finally {
      end?.()
    }
  }
}

type Layout = 'browsers' | 'no-browsers'

/** Makes a value once per runtime and layout of browsers; retries after a failure. */
function once<V>(make: (runtime: InstalledRuntime, layout: Layout) => Promise<V>) {
  const made = new Map<string, Promise<V>>()
  return {
    get(runtime: InstalledRuntime, layout: Layout): Promise<V> {
      const key = `${layout} ${runtime.name}`
      const known = made.get(key)
      if (known) return known
      const making = make(runtime, layout)
      made.set(key, making)
      making.catch(() => made.delete(key))
      return making
    },
    async all(): Promise<V[]> {
      const settled = await Promise.allSettled(made.values())
      return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    },
  }
}
