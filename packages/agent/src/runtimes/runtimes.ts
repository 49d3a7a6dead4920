// The runtimes of an agent: installed when a run needs one, or in the background when the agent starts. Errors are fit for
// results.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../core/log.ts'
import { untilAborted } from '../core/until-aborted.ts'
import { findRuntime, listInstalled } from './find-runtime.ts'
import { ensureRuntime, type InstallSettings } from './install-runtime.ts'
import { isRuntime } from './manifest.ts'
import { MissingError, runtimeMessages } from './missing.ts'
import type { InstalledRuntime } from './runtime.ts'

export type Runtimes = ReturnType<typeof openRuntimes>

export interface RuntimesSettings {
  runtimesDir: string
  /** Installed when the agent starts. */
  names: readonly string[]
  /** False: others than `names` are never installed. */
  isInstalledOnNeed: boolean
  npmEnvironment: InstallSettings['npmEnvironment']
  log: Log
  retryMs?: number
}

export function openRuntimes(settings: RuntimesSettings) {
  const { runtimesDir, names, npmEnvironment, log, retryMs = 60_000 } = settings
  const closing = new AbortController()
  const installing = new Map<string, Promise<InstalledRuntime | null>>()
  /** When they failed last. */
  const failed = new Map<string, number>()

  const attempt = async (name: string): Promise<InstalledRuntime | null> => {
    const { signal } = closing
    try {
      const runtime = await ensureRuntime(name, { runtimesDir, npmEnvironment, log, signal })
      failed.delete(name)
      return runtime
    } catch (error) {
      if (signal.aborted) return null
      failed.set(name, performance.now())
      log.error({ runtime: name, err: error, nextTryInMs: retryMs }, 'runtime.not-installed')
      // Others are tried again by the next run that needs them.
      if (names.includes(name))
        sleep(retryMs, undefined, { signal, ref: false })
          .then(() => start(name))
          .catch(() => {})
      return null
    }
  }
  const start = (name: string) => {
    installing.set(
      name,
      attempt(name).finally(() => installing.delete(name)),
    )
  }
  for (const name of names) start(name)

  const startIfNeeded = (name: string) => {
    const isBusy = installing.has(name) || names.includes(name) || closing.signal.aborted
    const failedAt = failed.get(name) ?? Number.NEGATIVE_INFINITY
    if (!isBusy && settings.isInstalledOnNeed && isRuntime(name) && performance.now() - failedAt > retryMs)
      start(name)
  }

  return {
    /** Null: it isn't installed. */
    find: (name: string) => findRuntime(name, runtimesDir),
    isInstalling: (name: string) => installing.has(name),
    /** Installs it if it is missing, and waits until aborted. Rejects with a MissingError. */
    async get(name: string, signal: AbortSignal): Promise<InstalledRuntime> {
      const present = findRuntime(name, runtimesDir)
      if (present) return present
      startIfNeeded(name)
      const pending = installing.get(name) ?? Promise.resolve(null)
      const found = await untilAborted(pending, signal).catch(() => null)
      if (found) return found
      const state = installing.has(name) ? 'installing' : failed.has(name) ? 'failed' : 'missing'
      throw new MissingError(runtimeMessages[state](name))
    },
    /** For health. */
    states(): Record<string, 'installed' | 'installing' | 'failed'> {
      const installed = listInstalled(runtimesDir).map(({ name }) => [name, 'installed'])
      const others = [
        ...[...failed.keys()].map((name) => [name, 'failed']),
        ...[...installing.keys()].map((name) => [name, 'installing']),
      ]
      return Object.fromEntries([...others, ...installed])
    },
    /** Aborts installations. */
    async close() {
      closing.abort(new Error('the agent stops'))
      await Promise.all(installing.values())
    },
  }
}
