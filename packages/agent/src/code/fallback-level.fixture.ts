// Code as it runs on a host without namespaces: cells by the fallback launches only, and runners on them as the agent puts
// them together. What they need is kept as an agent keeps it that is root: some of it where only root may look.
import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { findBrowsers } from '../runtimes/browsers.ts'
import { layOutBrowsers } from '../runtimes/browsers-folder.ts'
import { checkoutRuntime } from '../runtimes/installed-runtime.fixture.ts'
import type { BrowsersFolder, InstalledRuntime } from '../runtimes/runtime.ts'
import type { OpenCell } from '../sandbox/cell.ts'
import { fallbackWay } from '../sandbox/cell-launch.ts'
import { prepareCellStage } from '../sandbox/cell-stage.ts'
import { openBy } from '../sandbox/open-cell.ts'
import { makeBaseFolder } from '../sandbox/stage.ts'
import { agenticJob, codeContext } from './agentic/agentic.fixture.ts'
import { browserArgs } from './browser-args.ts'
import type { CodeOutcome, CodeRunner } from './code-runner.ts'
import { scriptRunner } from './script/run-script.ts'
import { ScriptHosts } from './script/script-host.ts'

export interface FallbackWorld {
  openCell: OpenCell
  runtime: InstalledRuntime
  browsers: BrowsersFolder
  /** Like AGENT_DATA_DIR: for the agent alone. */
  dataDir: string
  runScript: CodeRunner
  /** A script, released when the test has seen what it left. */
  run(script: string, check?: Record<string, unknown>, job?: Partial<Job>): Promise<CodeOutcome>
  /** Processes, folders and temporary files of the cells opened so far. */
  leftovers(): string[]
  close(): Promise<void>
}

export async function openFallbackWorld(): Promise<FallbackWorld> {
  const stage = await prepareCellStage()
  const launch = fallbackWay(stage)
  const runtime = await checkoutRuntime()
  const base = makeBaseFolder()
  const dataDir = mkdtempSync(join(tmpdir(), 'vedette-fallback-'))
  const browsers = await layOutBrowsers({
    playwrightCore: join(runtime.folder, 'node_modules', 'playwright-core'),
    into: join(base, 'browsers'),
    browserArgs: browserArgs('fallback'),
    programs: findBrowsers({}),
  })
  const seen: { uid: number | null; folder: string }[] = []
  const openCell: OpenCell = async (settings, signal) => {
    const chosen = launch()
    const cells = { stage, launch: () => chosen, isolation: { level: chosen.level, missing: [] } }
    const cell = await openBy(cells, 'fallback', settings, signal)
    seen.push({ uid: chosen.uid, folder: cell.folder })
    return cell
  }
  const { network } = codeContext()
  const hosts = new ScriptHosts({ folder: join(base, 'programs'), openCell, runtime, browsers, network })
  const runScript = scriptRunner({ hostsOf: async () => ({ hosts, runtimeName: runtime.name }) })
  const outcomes: CodeOutcome[] = []
  return {
    openCell,
    runtime,
    browsers,
    dataDir,
    runScript,
    async run(script, check = {}, job = {}) {
      const whole = {
        checkType: 'BROWSER',
        name: 'Shop',
        script,
        scriptPath: null,
        dependencies: [],
        ...check,
      }
      const given = agenticJob('', { checkType: 'BROWSER', check: whole, ...job } as Partial<Job>)
      const outcome = await runScript(given, codeContext())
      outcomes.push(outcome)
      return outcome
    },
    leftovers() {
      const uids = new Set(seen.map(({ uid }) => uid))
      return [
        ...seen.map(({ folder }) => folder).filter(existsSync),
        ...[...ownedBy('/proc', uids), ...ownedBy(tmpdir(), uids)],
      ]
    },
    async close() {
      await hosts.close()
      for (const outcome of outcomes) await outcome.release()
      await hosts.close()
      stage.remove()
      for (const folder of [base, dataDir]) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** By the users of cells, which an agent without privileges doesn't have. Without zombies. */
function ownedBy(folder: string, uids: ReadonlySet<number | null>): string[] {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => uids.has(lstatSync(path, { throwIfNoEntry: false })?.uid ?? -1) && !isDead(path))
}

function isDead(path: string): boolean {
  try {
    return (
      path.startsWith('/proc/') && / [ZX] /.test(readFileSync(`${path}/stat`, 'latin1').replace(/.*\)/s, ''))
    )
  } catch {
    return true
  }
}
