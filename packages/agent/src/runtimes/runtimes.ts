// The runtimes of an agent: installed in the background when it starts, found by name when a run asks. In: names and a
// folder. Out: an installed runtime, or an error that may stand in a result. Never keeps the agent from other checks.
import type { Log } from '../core/log.ts'
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
  /** Waits for one that is being installed, until aborted. Rejects with a MissingError. */
  get(name: string, signal: AbortSignal): Promise<InstalledRuntime>
  /** For health: names and what is known of them. */
  states(): Record<string, 'installed' | 'installing' | 'failed'>
  /** Calls installations off. */
  close(): Promise<void>
}

export interface RuntimesSettings {
  runtimesDir: string
  /** To install without being asked. */
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
      const found = findRuntime(name, runtimesDir) ?? (await untilAborted(installing.get(name), signal))
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
      closing.abort(new Error('the agent ends'))
      for (const retry of retries) clearTimeout(retry)
      await Promise.all(installing.values())
    },
  }
}

async function untilAborted<T>(promise: Promise<T> | undefined, signal: AbortSignal): Promise<T | null> {
  if (!promise || signal.aborted) return null
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const onAbort = () => resolve(null)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
