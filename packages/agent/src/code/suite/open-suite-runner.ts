// Composes the runner of suites when the agent starts. Its files are in the agent's data directory.
import { join } from 'node:path'
import type { Log } from '../../core/log.ts'
import { removeTree } from '../../sandbox/remove-tree.ts'
import type { CodeRunner } from '../code-runner.ts'
import { openDependencyCache } from './dependency-cache.ts'
import { type Registry, readRegistry } from './registry.ts'
import { suiteRunner } from './run-suite.ts'
import { type SuiteDeps, suiteTimes } from './suite-deps.ts'
import { openToolStore } from './tool-store.ts'

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
  const { dataDir, cacheBytes, npmEnvironment, now, log, openCell, downloadBundle, browsers } = options
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
  return suiteRunner({
    openCell,
    downloadBundle,
    browsers,
    runsFolder,
    cache,
    tools,
    registry,
    limits: suiteTimes,
  })
}
