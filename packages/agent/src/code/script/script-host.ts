// Processes with the runtime loaded, each in its own cell, started ahead of runs. Each serves one run.
// Measured (two cores): loading Playwright, its runner and compiler takes a cold process 1.0 to 1.5 s.
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MissingError } from '../../runtimes/missing.ts'
import type { BrowsersFolder, InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, CellSettings, OpenCell, RunningProgram } from '../../sandbox/cell.ts'
import { codeLimits } from '../../sandbox/code-limits.ts'
import { makeFolder, stagePrograms } from '../../sandbox/stage-programs.ts'

/** How long a spare host that is no longer wanted is kept: its run may be on the way to it. */
const unwantedMs = 5_000
const startMs = 60_000
/** After a failed start, runs report the error; spares are tried again after this time. */
const failedMs = 30_000

/** Paths as programs in the cell see them. */
export interface ScriptPaths {
  work: string
  modules: string
  browsers: string
  programs: string
}

export interface ScriptHost {
  cell: Cell
  paths: ScriptPaths
  program: RunningProgram
  /** It ended before its run: it exceeded a limit, or was killed. */
  hasEnded: boolean
  /** Receives the output of the script. */
  onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
}

/** What a host is started for. */
export interface HostKind {
  /** It has a browser. An idle browser takes 140 MB (PSS). */
  usesBrowser: boolean
}

interface Spare {
  host: Promise<ScriptHost | null>
  kind: HostKind
  isReady: boolean
  /** When it was wanted last. */
  wantedAt: number
}

export interface HostDeps {
  /** For our programs; removed with the agent's other temporary files. */
  folder: string
  openCell: OpenCell
  runtime: InstalledRuntime
  browsers: BrowsersFolder
  network: CellSettings['network']
  lookup?: CellSettings['lookup']
  /** Called for each run: whether its host was ready before it. */
  onTaken?(isWarm: boolean): void
  /** Called after each start of a host. */
  onLoaded?(state: RuntimeState): void
}

export interface RuntimeState {
  /** Why the runtime can't be loaded; null: it can. */
  problem: string | null
  /** Why parts of it can't be loaded ahead of a run. */
  coldReasons: readonly string[]
}

export class ScriptHosts {
  readonly #deps: HostDeps
  #programs: Promise<string> | null = null
  #spares: Spare[] = []
  #failedAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(deps: HostDeps) {
    this.#deps = deps
  }

  get spareCount(): number {
    return this.#spares.length
  }

  async take(signal: AbortSignal, kind?: HostKind): Promise<ScriptHost> {
    signal.throwIfAborted()
    const spare = this.#takeSpare(kind)
    this.#deps.onTaken?.(spare?.isReady === true)
    const found = (await spare?.host) ?? null
    if (found === null) return this.#start(signal)
    if (!found.hasEnded && !signal.aborted) return found
    await remove(found.cell)
    return this.#start(signal)
  }

  /** The oldest of its kind, else any. Synchronous up to the removal: a host serves one run. */
  #takeSpare(kind: HostKind | undefined): Spare | undefined {
    const spare = this.#spares.find((one) => kind && isSame(one.kind, kind)) ?? this.#spares[0]
    this.#spares = this.#spares.filter((one) => one !== spare)
    return spare
  }

  /** Starts the spare hosts that are missing, and ends those that haven't been wanted for some seconds. */
  keep(wanted: readonly HostKind[]): void {
    if (this.#isClosed) return
    const now = performance.now()
    const unmatched = [...this.#spares]
    for (const kind of wanted) {
      const index = unmatched.findIndex((one) => isSame(one.kind, kind))
      if (index < 0 && now - this.#failedAt < failedMs) continue
      const [spare] = index < 0 ? [this.#startSpare(kind)] : unmatched.splice(index, 1)
      if (spare) spare.wantedAt = now
    }
    const unwanted = new Set(unmatched.filter(({ wantedAt }) => now - wantedAt >= unwantedMs))
    this.#spares = this.#spares.filter((one) => !unwanted.has(one))
    for (const spare of unwanted) void removeSpare(spare)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const spares = this.#spares
    this.#spares = []
    await Promise.all(spares.map(removeSpare))
  }

  #startSpare(kind: HostKind): Spare {
    const host = this.#start(new AbortController().signal, kind).catch(() => null)
    const spare: Spare = { host, kind, isReady: false, wantedAt: 0 }
    this.#spares.push(spare)
    void host.then((started) => {
      spare.isReady = started !== null
      if (started !== null) return
      this.#failedAt = performance.now()
      this.#spares = this.#spares.filter((one) => one !== spare)
    })
    return spare
  }

  async #start(signal: AbortSignal, { usesBrowser }: HostKind = { usesBrowser: false }): Promise<ScriptHost> {
    const { openCell, runtime, browsers, network, lookup } = this.#deps
    this.#programs ??= stageScriptPrograms(this.#deps.folder).catch((error) => {
      // Retried the next time: the disk may have been full.
      this.#programs = null
      throw error
    })
    const programsFolder = await this.#programs
    const modules = join(runtime.folder, 'node_modules')
    const cell = await openCell(
      {
        mounts: [
          { from: programsFolder, to: mounted.programs },
          { from: modules, to: mounted.modules },
          { from: browsers.folder, to: mounted.browsers },
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
      const paths = { ...(cell.level === 'fallback' ? own : mounted), work: cell.work }
      return await this.#begin(cell, runtime, paths, usesBrowser)
    } catch (error) {
      await remove(cell)
      throw error
    }
  }

  async #begin(
    cell: Cell,
    { node, name }: InstalledRuntime,
    paths: ScriptPaths,
    hasBrowser: boolean,
  ): Promise<ScriptHost> {
    let output = ''
    let isReady = false
    let onReady = (_isReady: boolean) => {}
    const ready = new Promise<boolean>((settle) => {
      onReady = settle
    })
    const host: ScriptHost = {
      cell,
      paths,
      hasEnded: false,
      onOutput: () => {},
      program: cell.start({
        argv: [
          join(paths.modules, '..', node),
          join(paths.programs, 'host.cjs'),
          ...(hasBrowser ? ['browser'] : []),
        ],
        env: hostEnvironment(cell, paths),
        cwd: cell.work,
        onOutput(stream, chunk) {
          if (isReady) return host.onOutput(stream, chunk)
          output += chunk
          isReady = output.includes('\0ready\n')
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
    const coldReasons = [...output.matchAll(/\0cold (.*)\n/g)].map(([, reason = '']) => reason)
    if (isUp) this.#deps.onLoaded?.({ problem: null, coldReasons })
    if (isUp) return host
    const problem = `The runtime ${name} couldn't be loaded: ${output.trim().slice(-1_000) || 'it ended without a message'}`
    // Otherwise the agent ended it, which says nothing about the runtime.
    if (exitCode !== null) this.#deps.onLoaded?.({ problem, coldReasons })
    throw new MissingError(problem)
  }
}

const mounted: Omit<ScriptPaths, 'work'> = {
  modules: '/node_modules',
  browsers: '/browsers',
  programs: '/script',
}

/**
 * At the fallback level nothing is mounted: scripts find the runtime's packages through a link. Call it after the last
 * write into the directory: a write through the link would change the runtime of every later run.
 */
export function linkModules({ cell, paths }: Pick<ScriptHost, 'cell' | 'paths'>): void {
  if (cell.level === 'fallback') symlinkSync(paths.modules, join(cell.folder, 'node_modules'))
}

export function hostEnvironment(cell: Cell, paths: ScriptPaths): Record<string, string> {
  return {
    ...cell.environment,
    VEDETTE_PLACES: JSON.stringify(paths),
    PLAYWRIGHT_BROWSERS_PATH: paths.browsers,
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  }
}

const isSame = (one: HostKind, other: HostKind) => one.usesBrowser === other.usesBrowser

async function removeSpare({ host }: Spare): Promise<void> {
  const started = await host
  if (started) await remove(started.cell)
}

async function remove(cell: Cell): Promise<void> {
  await cell.end()
  await cell.remove()
}

async function stageScriptPrograms(folder: string): Promise<string> {
  rmSync(folder, { recursive: true, force: true })
  makeFolder(folder, 0o755)
  const sources = fileURLToPath(new URL('./programs', import.meta.url))
  await stagePrograms(sources, folder)
  // instrument.cjs injects it into pages.
  const vitals = new URL('./web-vitals.iife.js', import.meta.resolve('web-vitals'))
  writeFileSync(join(folder, 'web-vitals.js'), await readFile(vitals), { mode: 0o644 })
  return folder
}
