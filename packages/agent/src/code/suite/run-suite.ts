// Runs a PLAYWRIGHT suite in cells, with its own packages and its own Playwright. The suite's code never runs outside a cell, and
// its files are read only after all of its programs have ended.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cell } from '../../sandbox/cell.ts'
import { removeTree } from '../../sandbox/remove-tree.ts'
import type { CodeOutcome, CodeRunner } from '../code-runner.ts'
import { findInside } from '../inside-folder.ts'
import { OutputLog } from '../output-log.ts'
import { insideFolders, machineFolders, mountPath } from './cell-paths.ts'
import { type PreparedSuite, prepareSuite, type SuiteRun } from './prepare-suite.ts'
import { runCommand } from './run-command.ts'
import type { SuiteDeps } from './suite-deps.ts'
import { suiteEnvironment, testEnvironment } from './suite-environment.ts'
import { BundleError } from './suite-errors.ts'
import { brokenOutcome, suiteOutcome } from './suite-outcome.ts'
import { suiteSettings } from './suite-settings.ts'

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
      const run = { job, settings: suiteSettings(job.check), context, deps, log, folder, facts }
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
    throw new BundleError(
      `The workingDir ${workingDir} leads out of the bundle after the install. Correct installCommand.`,
    )
  await rm(join(folder, 'degraded.json'), { recursive: true, force: true })
}

async function runTests(run: SuiteRun, suite: PreparedSuite): Promise<Omit<CodeOutcome, 'release'>> {
  const { job, settings, context, deps, log, facts } = run
  const { cell, browsers, mounts } = suite
  const { signal, clock, userAgent } = context
  const inside = insideFolders(cell)
  facts.playwrightVersion = suite.playwrightVersion
  const env = testEnvironment(suiteEnvironment(job, cell), {
    inside: mountPath(cell, mounts.inside),
    report: inside.report,
    browsers: mountPath(cell, mounts.browsers),
    userAgent,
    hasVideo: browsers.hasVideo,
  })
  await removeOldMark(cell, settings.workingDir)
  const line = settings.testCommand
  log.note(`$ ${line}`)
  const startTime = clock.now()
  const end = await runCommand(
    cell,
    { line, cwd: join(inside.suite, settings.workingDir), env },
    { limitMs: deps.limits.runMs, signal, log, monotonic: clock.monotonic },
  )
  await cell.end()
  signal.throwIfAborted()
  return suiteOutcome({
    cell,
    settings,
    end,
    limitMs: deps.limits.runMs,
    log,
    startTime,
    endTime: clock.now(),
    facts,
  })
}
