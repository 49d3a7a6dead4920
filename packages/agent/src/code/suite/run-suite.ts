// Runs a PLAYWRIGHT suite in cells, with its own packages and its own Playwright. The suite's code never runs outside a cell, and
// its files are read only after all of its programs have ended.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../core/log.ts'
import type { Cell } from '../../sandbox/cell.ts'
import { removeTree } from '../../sandbox/remove-tree.ts'
import type { CodeOutcome, CodeRunner } from '../code-runner.ts'
import { findInside } from '../inside-folder.ts'
import { OutputLog } from '../output-log.ts'
import { insideFolders, machineFolders } from './cell-paths.ts'
import { openDependencyCache } from './dependency-cache.ts'
import { runCommand } from './open-suite-cell.ts'
import { prepareSuite } from './prepare-suite.ts'
import { type Registry, readRegistry } from './registry.ts'
import { type PreparedSuite, type SuiteDeps, type SuiteRun, suiteTimes } from './suite-deps.ts'
import { testEnvironment } from './suite-environment.ts'
import { SuiteError } from './suite-error.ts'
import { brokenOutcome, suiteOutcome } from './suite-outcome.ts'
import { suiteSettings } from './suite-settings.ts'
import { openToolStore } from './tool-store.ts'

/** When the agent starts. The files of suites are in its data directory. */
export async function openSuiteRunner(
  options: Pick<SuiteDeps, 'openCell' | 'downloadBundle' | 'browsers'> & {
    dataDir: string
    /** SUITE_CACHE_MB; 0: every run installs. */
    cacheBytes: number
    npmEnvironment: Readonly<Record<string, string>>
    now(): number
    log: Log
  },
): Promise<CodeRunner> {
  const { dataDir, cacheBytes, npmEnvironment, now, log, ...deps } = options
  const runsFolder = join(dataDir, 'suite-runs')
  // What a killed agent left: its runs are repeated.
  await removeTree(runsFolder)
  const cache = await openDependencyCache({ folder: join(dataDir, 'suite-cache'), maxBytes: cacheBytes, now })
  await cache.sweep()
  const tools = await openToolStore({ folder: join(dataDir, 'suite-tools'), npmEnvironment, log })
  let reading: Promise<Registry> | null = null
  const registry = () => {
    reading ??= readRegistry(npmEnvironment).catch((error) => {
      reading = null
      throw error
    })
    return reading
  }
  return suiteRunner({ ...deps, runsFolder, cache, tools, registry, limits: suiteTimes })
}

export function suiteRunner(deps: SuiteDeps): CodeRunner {
  return async (job, context) => {
    const log = new OutputLog(context, 'WARN')
    const facts: SuiteRun['facts'] = {}
    await mkdir(deps.runsFolder, { recursive: true, mode: 0o700 })
    const folder = await mkdtemp(join(deps.runsFolder, 'r'))
    let suite: PreparedSuite | null = null
    const release = async () => {
      await suite?.cell.end()
      await suite?.cell.remove()
      await removeTree(folder)
    }
    try {
      const run = { job, settings: suiteSettings(job), context, deps, log, folder, facts }
      suite = await prepareSuite(run)
      return { ...(await runTests(run, suite)), release }
    } catch (error) {
      await release()
      return { ...brokenOutcome(error, context.signal, log, facts), release: async () => undefined }
    }
  }
}

/** A bundle may contain the mark of another run. The install may have replaced the directory by a link. */
async function removeOldMark(cell: Cell, workingDir: string): Promise<void> {
  const folder = await findInside(machineFolders(cell).suite, workingDir, insideFolders(cell).suite)
  if (folder === null)
    throw new SuiteError(
      `The workingDir ${workingDir} leads out of the bundle after the install. Correct installCommand.`,
    )
  await rm(join(folder, 'degraded.json'), { recursive: true, force: true })
}

async function runTests(run: SuiteRun, suite: PreparedSuite): Promise<Omit<CodeOutcome, 'release'>> {
  const { job, settings, context, deps } = run
  const { cell } = suite
  await removeOldMark(cell, settings.workingDir)
  const startTime = context.clock.now()
  const end = await runCommand(run, cell, {
    line: settings.testCommand,
    cwd: join(insideFolders(cell).suite, settings.workingDir),
    env: testEnvironment(job, suite, context.userAgent),
    limitMs: deps.limits.runMs,
  })
  await cell.end()
  return suiteOutcome(run, cell, end, startTime)
}
