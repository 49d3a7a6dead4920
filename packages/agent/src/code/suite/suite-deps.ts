// What a run of a suite consists of, and what it depends on.
import type { Job } from '@vedette/contracts'
import type { BrowserPrograms } from '../../runtimes/browsers.ts'
import type { Cell, OpenCell } from '../../sandbox/cell.ts'
import type { CodeContext } from '../code-runner.ts'
import type { OutputLog } from '../output-log.ts'
import type { DependencyCache } from './dependency-cache.ts'
import type { Registry } from './registry.ts'
import type { SuiteSettings } from './suite-settings.ts'
import type { ToolStore } from './tool-store.ts'

export interface SuiteDeps {
  openCell: OpenCell
  downloadBundle(token: string, toPath: string, signal: AbortSignal): Promise<void>
  /** The browsers of this machine, and the arguments of Chromium. */
  browsers: { programs(): BrowserPrograms; args: readonly string[] }
  /** Temporary directories of runs; emptied when the agent starts. */
  runsFolder: string
  cache: DependencyCache
  tools: ToolStore
  registry(): Promise<Registry>
  limits: typeof suiteTimes
}

/** wire: 5 minutes to install, 30 to run. */
export const suiteTimes = { installMs: 5 * 60_000, runMs: 30 * 60_000 }

export interface SuiteRun {
  job: Job
  settings: SuiteSettings
  context: CodeContext
  deps: SuiteDeps
  log: OutputLog
  /** The directory of this run on this machine. */
  folder: string
  /** Further facts for the result. */
  facts: Record<string, unknown>
}

/** A cell in which the command can run. */
export interface PreparedSuite {
  cell: Cell
  /** Paths in the cell: of our programs, and of the browsers. */
  inside: string
  browsers: string
  hasVideo: boolean
}
