// What the runner of suites depends on.
import type { BrowserPrograms } from '../../runtimes/browsers.ts'
import type { OpenCell } from '../../sandbox/cell.ts'
import type { DependencyCache } from './dependency-cache.ts'
import type { Registry } from './registry.ts'
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
  limits: SuiteTimes
}

interface SuiteTimes {
  installMs: number
  runMs: number
}

/** wire: 5 minutes to install, 30 to run. */
export const suiteTimes: SuiteTimes = { installMs: 5 * 60_000, runMs: 30 * 60_000 }
