// The runtimes of an agent: installed in the background when it starts, found by name when a run needs one. Errors are fit
// for results.
import type { Log } from '../core/log.ts'
import { untilAborted } from '../core/until-aborted.ts'
import { findRuntime, listInstalled } from './find-runtime.ts'
import { ensureRuntime, type InstallSettings } from './install-runtime.ts'
import {
  failedRuntimeMessage,
  installingRuntimeMessage,
  MissingError,
  missingRuntimeMessage,
} from './missing.ts'
import type { InstalledRuntime } from './runtime.ts'

export interface Runtimes {
  /** Waits for an installation in progress until aborted. Rejects with a MissingError. */
  get(name: string, signal: AbortSignal): Promise<InstalledRuntime>
  /** For health. */
  states(): Record<string, 'installed' | 'installing' | 'failed'>
  /** Aborts installations. */
  close(): Promise<void>
}

export interface RuntimesSettings {
  runtimesDir: string
  /** Installed when the agent starts. */
  names: readonly string[]
  npmEnvironment: InstallSettings['npmEnvironment']
  log: Log
  install?: typeof ensureRuntime
  retryMs?: number
}

export function openRuntimes(settings: RuntimesSettings): Runtimes {
  const { runtimesDir, names, npmEnvironment, log, install = ensureRuntime, retryMs = 60_000 } = settings
  const closing = new AbortController()
  const installing = new Map<string, Promise<InstalledRuntime | null>>()
  const failed = new Set<string>()
  const retries = new Set<NodeJS.Timeout>()

  const start = (name: string) => {
    const settled = install(name, { runtimesDir, npmEnvironment, log, signal: closing.signal }).then(
      (runtime) => {
        failed.delete(name)
        return runtime
      },
      (error) => {
        if (closing.signal.aborted) return null
        failed.add(name)
        log.error({ runtime: name, err: error, nextTryInMs: retryMs }, 'runtime.not-installed')
        const retry = setTimeout(() => {
          retries.delete(retry)
          start(name)
        }, retryMs).unref()
        retries.add(retry)
        return null
      },
    )
    installing.set(name, settled)
    settled.finally(() => installing.delete(name))
  }
  for (const name of names) start(name)

  return {
    async get(name, signal) {
      const pending = installing.get(name) ?? Promise.resolve(null)
      const found = findRuntime(name, runtimesDir) ?? (await untilAborted(pending, signal).catch(() => null))
      if (found) return found
      if (installing.has(name)) throw new MissingError(installingRuntimeMessage(name))
      throw new MissingError(failed.has(name) ? failedRuntimeMessage(name) : missingRuntimeMessage(name))
    },
    states() {
      const installed = listInstalled(runtimesDir).map(({ name }) => [name, 'installed'])
      const others = [
        ...[...failed].map((name) => [name, 'failed']),
        ...[...installing.keys()].map((name) => [name, 'installing']),
      ]
      return Object.fromEntries([...others, ...installed])
    },
    async close() {
      closing.abort(new Error('the agent stops'))
      for (const retry of retries) clearTimeout(retry)
      await Promise.all(installing.values())
    },
  }
}
