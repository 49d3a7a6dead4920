// Processes with the runtime loaded, each in a cell of its own, started before anyone needs them. Each serves one run.
// Measured (two cores): loading Playwright, its runner and compiler takes 1.0 to 1.5 s of a process that starts cold.
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MissingError } from '../../runtimes/missing.ts'
import type { BrowsersFolder, InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, CellSettings, OpenCell, RunningProgram } from '../../sandbox/cell.ts'
import { codeLimits } from '../../sandbox/code-limits.ts'
import { makeFolder, stageProgram } from '../../sandbox/staged-program.ts'

const programs = [
  'host.cjs',
  'places.cjs',
  'worker.cjs',
  'warm.cjs',
  'instrument.cjs',
  'spare-browser.cjs',
  'hand-over.cjs',
  'idle.cjs',
  'observe.cjs',
  'reporter.cjs',
  'script.config.cjs',
]
/** A spare that nobody wanted for so long is ended. */
const spareMs = 10 * 60_000
const startMs = 60_000
/** A browser is among what is spare while one of so many runs was a browser check's: idle it takes 140 MB (PSS). */
const browserRuns = 10

/** As programs in the cell see them. */
export interface ScriptPlaces {
  work: string
  modules: string
  browsers: string
  programs: string
}

export interface ScriptHost {
  cell: Cell
  places: ScriptPlaces
  program: RunningProgram
  /** Before it was given a run: it ran out of something, or was killed. */
  hasEnded: boolean
  /** From now on output is the script's. */
  onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
}

export interface HostDeps {
  /** For our programs: made here, removed with the agent's other temporary files. */
  folder: string
  openCell: OpenCell
  runtime: InstalledRuntime
  browsers: BrowsersFolder
  network: CellSettings['network']
  lookup?: CellSettings['lookup']
  /** After each start: why the runtime can't be loaded, and why parts of it could not be loaded ahead of the run. */
  onLoaded?(state: RuntimeState): void
}

export interface RuntimeState {
  /** Null: it can be loaded. */
  problem: string | null
  /** Empty: it is loaded ahead of a run. */
  coldReasons: readonly string[]
}

export class ScriptHosts {
  readonly #deps: HostDeps
  #programs: Promise<string> | null = null
  #spare: Promise<ScriptHost | null> | null = null
  #timer: NodeJS.Timeout | null = null
  #runsWithoutBrowser = browserRuns
  #isClosed = false

  constructor(deps: HostDeps) {
    this.#deps = deps
  }

  async take(signal: AbortSignal): Promise<ScriptHost> {
    signal.throwIfAborted()
    const found = await this.#takeSpare()
    if (found === null) return this.#start(signal)
    if (!found.hasEnded && !signal.aborted) return found
    await remove(found.cell)
    return this.#start(signal)
  }

  /** Before anyone waits for it: a host serves one run. */
  #takeSpare(): Promise<ScriptHost | null> {
    const spare = this.#spare
    this.#spare = null
    return spare ?? Promise.resolve(null)
  }

  /** Once a run is over, so that its start does not compete with the run. */
  prepare(run?: { usesBrowser: boolean }): void {
    if (this.#isClosed) return
    if (run) this.#runsWithoutBrowser = run.usesBrowser ? 0 : this.#runsWithoutBrowser + 1
    const hasBrowser = this.#runsWithoutBrowser < browserRuns
    this.#spare ??= this.#start(new AbortController().signal, hasBrowser).catch(() => null)
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#dropSpare(), spareMs).unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#dropSpare()
  }

  async #dropSpare(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer)
    const spare = await this.#takeSpare()
    if (spare) await remove(spare.cell)
  }

  async #start(signal: AbortSignal, hasBrowser = false): Promise<ScriptHost> {
    const { openCell, runtime, browsers, network, lookup } = this.#deps
    this.#programs ??= stagePrograms(this.#deps.folder).catch((error) => {
      // Perhaps there is room on the disk the next time.
      this.#programs = null
      throw error
    })
    const programsFolder = await this.#programs
    const modules = join(runtime.folder, 'node_modules')
    const cell = await openCell(
      {
        mounts: [
          { from: programsFolder, to: walled.programs },
          { from: modules, to: walled.modules },
          { from: browsers.folder, to: walled.browsers },
          ...browsers.reads.map((folder) => ({ from: folder, to: folder })),
        ],
        limits: codeLimits,
        network,
        ...(lookup && { lookup }),
      },
      signal,
    )
    try {
      const own = { modules, browsers: browsers.folder, programs: programsFolder }
      const places = { ...(cell.level === 'strong' ? walled : own), work: cell.work }
      return await this.#begin(cell, runtime, places, hasBrowser)
    } catch (error) {
      await remove(cell)
      throw error
    }
  }

  async #begin(
    cell: Cell,
    { node, name }: InstalledRuntime,
    places: ScriptPlaces,
    hasBrowser: boolean,
  ): Promise<ScriptHost> {
    let said = ''
    let isReady = false
    let onReady = (_isReady: boolean) => {}
    const ready = new Promise<boolean>((settle) => {
      onReady = settle
    })
    const host: ScriptHost = {
      cell,
      places,
      hasEnded: false,
      onOutput: () => {},
      program: cell.start({
        argv: [
          join(places.modules, '..', node),
          join(places.programs, 'host.cjs'),
          ...(hasBrowser ? ['browser'] : []),
        ],
        env: hostEnvironment(cell, places),
        cwd: cell.work,
        onOutput(stream, chunk) {
          if (isReady) return host.onOutput(stream, chunk)
          said += chunk
          isReady = said.includes('\0ready\n')
          if (isReady) onReady(true)
        },
      }),
    }
    const timer = setTimeout(() => onReady(false), startMs)
    let exitCode: number | null = null
    void host.program.ended.then((end) => {
      host.hasEnded = true
      exitCode = end.exitCode
      onReady(false)
    })
    const isUp = await ready
    clearTimeout(timer)
    const coldReasons = [...said.matchAll(/\0cold (.*)\n/g)].map(([, reason = '']) => reason)
    if (isUp) this.#deps.onLoaded?.({ problem: null, coldReasons })
    if (isUp) return host
    const problem = `The runtime ${name} couldn't be loaded: ${said.trim().slice(-1_000) || 'it ended without a message'}`
    // Otherwise it was ended from outside, which says nothing about the runtime.
    if (exitCode !== null) this.#deps.onLoaded?.({ problem, coldReasons })
    throw new MissingError(problem)
  }
}

const walled: Omit<ScriptPlaces, 'work'> = {
  modules: '/node_modules',
  browsers: '/browsers',
  programs: '/script',
}

/**
 * At the fallback level nothing is mounted: scripts find the runtime's packages through a link. Call it after the last
 * write into the directory: whatever the agent writes through the link changes the runtime of every later run.
 */
export function linkModules({ cell, places }: Pick<ScriptHost, 'cell' | 'places'>): void {
  if (cell.level === 'fallback') symlinkSync(places.modules, join(cell.folder, 'node_modules'))
}

export function hostEnvironment(cell: Cell, places: ScriptPlaces): Record<string, string> {
  return {
    ...cell.environment,
    VEDETTE_PLACES: JSON.stringify(places),
    PLAYWRIGHT_BROWSERS_PATH: places.browsers,
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  }
}

async function remove(cell: Cell): Promise<void> {
  await cell.end()
  await cell.remove()
}

async function stagePrograms(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  makeFolder(folder, 0o755)
  const sources = fileURLToPath(new URL('./programs', import.meta.url))
  for (const name of programs) await stageProgram(sources, name, folder)
  // For pages: instrument.cjs puts it into them.
  const vitals = new URL('./web-vitals.iife.js', import.meta.resolve('web-vitals'))
  writeFileSync(join(folder, 'web-vitals.js'), await readFile(vitals), { mode: 0o644 })
  return folder
}
