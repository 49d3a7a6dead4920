// Installs what a code run needs and this machine doesn't have, before the run. The first code check of an agent waits for it and
// says so; an agent without code checks installs nothing.
import type { Job } from '@vedette/contracts'
import { defaultRuntimeId } from '@vedette/contracts/runtime-ids'
import { untilAborted } from '../core/until-aborted.ts'
import type { BrowserInstaller } from '../runtimes/install-browser.ts'
import { installingBrowserMessage, MissingError } from '../runtimes/missing.ts'
import type { Runtimes } from '../runtimes/runtimes.ts'

export interface InstallDeps {
  runtimes: Pick<Runtimes, 'find' | 'get' | 'isInstalling'>
  hasBrowser(): boolean
  /** False: code isn't run. */
  isIsolated(): boolean
  /** Installs a browser and what isolates code. Null: runs report what to install. */
  system: { installer: BrowserInstaller; onInstalled(): Promise<void> } | null
  /** Default: `maxWaitMs`. */
  waitMs?: number
}

export interface Waiting {
  signal: AbortSignal
  /** Adds a line to the log of the run. */
  note(message: string): void
}

/** Usually a minute. Afterwards the run ends with an error, and the installation continues. */
const maxWaitMs = 10 * 60_000
const progressMs = 15_000

type Needs = Pick<Job, 'checkType' | 'runtimeId'>

export class EnsureInstalled {
  readonly #deps: InstallDeps

  constructor(deps: InstallDeps) {
    this.#deps = deps
  }

  /** Rejects with a MissingError. */
  async forRun(job: Needs, { signal, note }: Waiting): Promise<void> {
    const missing = this.#start(job, signal)
    const all = Promise.all(missing.map(({ done }) => done))
    const what = missing.flatMap(({ name, isInstalling }) => (isInstalling ? name : [])).join(' and ')
    if (what === '') return void (await all)
    const startedAt = performance.now()
    const seconds = () => Math.round((performance.now() - startedAt) / 1000)
    note(`Installing ${what}, which this agent needs for the first time. This usually takes about a minute.`)
    const timer = setInterval(() => note(`Still installing ${what}, for ${seconds()} s.`), progressMs)
    try {
      await all
      note(`Installed ${what} in ${seconds()} s.`)
    } finally {
      clearInterval(timer)
    }
  }

  /** For setup and teardown scripts of API checks. Never rejects: the scripts report what is missing. */
  async forScripts(signal: AbortSignal): Promise<void> {
    await this.#installSystem(false, () => signal)?.done.catch(() => undefined)
  }

  /** Starts installations for a run that is due soon. Its errors are those of the run. */
  ahead(run: Needs): void {
    for (const { done } of this.#start(run, new AbortController().signal)) done.catch(() => undefined)
  }

  #start({ checkType, runtimeId }: Needs, signal: AbortSignal): Installation[] {
    const { runtimes, waitMs = maxWaitMs } = this.#deps
    const limit = () => AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    const missing: Installation[] = []
    const runtime = runtimeId ?? defaultRuntimeId
    // A suite brings its own packages.
    if (checkType !== 'PLAYWRIGHT' && !runtimes.find(runtime)) {
      const done = runtimes.get(runtime, limit())
      missing.push({ name: `the runtime ${runtime}`, done, isInstalling: runtimes.isInstalling(runtime) })
    }
    const system = this.#installSystem(checkType !== 'MULTI_STEP', limit)
    return system ? [...missing, system] : missing
  }

  #installSystem(needsBrowser: boolean, limit: () => AbortSignal): Installation | null {
    const { system, hasBrowser, isIsolated } = this.#deps
    const names = [
      ...(isIsolated() ? [] : ['bubblewrap']),
      ...(needsBrowser && !hasBrowser() ? ['a browser'] : []),
    ]
    if (system === null || names.length === 0) return null
    const installed = system.installer.install().then(() => system.onInstalled())
    const done = untilAborted(installed, limit()).catch(() => {
      throw new MissingError(installingBrowserMessage)
    })
    return { name: names.join(' and '), done, isInstalling: system.installer.isInstalling }
  }
}

interface Installation {
  name: string
  done: Promise<unknown>
  /** False: it can't be installed, which `done` or the run reports. */
  isInstalling: boolean
}
