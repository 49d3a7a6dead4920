// Processes with the runtime loaded, each in its own cell, started ahead of runs. Each serves one run.
// Measured (two cores): loading Playwright, its runner and compiler takes a cold process 1.0 to 1.5 s.
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MissingError } from '../../runtimes/missing.ts'
import type { BrowsersFolder, InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, CellSettings, OpenCell } from '../../sandbox/cell.ts'
import { codeLimits } from '../../sandbox/code-limits.ts'
import { makeFolder, stagePrograms } from '../../sandbox/stage-programs.ts'
import {
  compileCacheOf,
  existingCompileCache,
  fillCompileCache,
  hasCompileCache,
  keepCompileCache,
} from './compile-cache.ts'
import { CompiledScripts } from './compiled-scripts.ts'
import {
  type HostKind,
  hostEnvironment,
  type ScriptHost,
  type ScriptPaths,
  type ScriptStyle,
} from './host.ts'

/** How long a spare host that is no longer wanted is kept: its run may be on the way to it. */
const unwantedMs = 5_000
const startMs = 60_000
/** After a failed start, runs report the error; spares are tried again after this time. */
const failedMs = 30_000
/** V8 collects garbage less often while it loads Playwright: 8 % less CPU. Workers of the runner inherit it. */
const nodeFlags = ['--min-semi-space-size=32', '--max-semi-space-size=32']

/** Serves every run. */
const anyKind: HostKind = { style: 'test', usesBrowser: false }

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
  readonly compiled = new CompiledScripts()
  readonly #deps: HostDeps
  #programs: Promise<string> | null = null
  #spares: Spare[] = []
  #failedAt = Number.NEGATIVE_INFINITY
  #cache: Promise<void> | null = null
  /** Null until it is filled. */
  #cacheFolder: string | null
  #cacheProblem: string | null = null
  readonly #closing = new AbortController()

  constructor(deps: HostDeps) {
    this.#deps = deps
    this.#cacheFolder = existingCompileCache(deps.runtime)
  }

  get spareCount(): number {
    return this.#spares.length
  }

  async take(signal: AbortSignal, kind: HostKind = anyKind): Promise<ScriptHost> {
    signal.throwIfAborted()
    const spare = this.#takeSpare(kind)
    this.#deps.onTaken?.(spare?.isReady === true)
    const found = (await spare?.host) ?? null
    if (found === null) return this.#start(signal, kind)
    if (!found.hasEnded && !signal.aborted) return found
    await remove(found.cell)
    return this.#start(signal, kind)
  }

  /** The oldest of its kind, else any. Synchronous up to the removal: a host serves one run. */
  #takeSpare(kind: HostKind): Spare | undefined {
    const spare = this.#spares.find((one) => isSame(one.kind, kind)) ?? this.#spares[0]
    this.#spares = this.#spares.filter((one) => one !== spare)
    return spare
  }

  /** Starts the spare hosts that are missing, and ends those that haven't been wanted for some seconds. */
  keep(wanted: readonly HostKind[]): void {
    if (this.#closing.signal.aborted) return
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
    this.#closing.abort()
    const spares = this.#spares
    this.#spares = []
    await Promise.all(spares.map(removeSpare))
  }

  #startSpare(kind: HostKind): Spare {
    const host = this.#startAhead(kind).catch(() => null)
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

  async #startAhead(kind: HostKind): Promise<ScriptHost> {
    this.#cache ??= this.#fillCache()
    await this.#cache
    return this.#start(this.#closing.signal, kind)
  }

  async #start(signal: AbortSignal, kind: HostKind): Promise<ScriptHost> {
    const { cell, paths } = await this.#openCell(signal)
    try {
      return await this.#begin(cell, paths, kind)
    } catch (error) {
      await remove(cell)
      throw error
    }
  }

  async #openCell(signal: AbortSignal): Promise<{ cell: Cell; paths: ScriptPaths }> {
    const { openCell, runtime, browsers, network, lookup } = this.#deps
    this.#programs ??= stageScriptPrograms(this.#deps.folder).catch((error) => {
      // Retried the next time: the disk may have been full.
      this.#programs = null
      throw error
    })
    const programs = await this.#programs
    const modules = join(runtime.folder, 'node_modules')
    const cache = this.#cacheFolder
    const cell = await openCell(
      {
        mounts: [
          { from: programs, to: mounted.programs },
          { from: modules, to: mounted.modules },
          { from: browsers.folder, to: mounted.browsers },
          ...browsers.reads.map((folder) => ({ from: folder, to: folder })),
          ...(cache === null ? [] : [{ from: cache, to: mounted.cache }]),
        ],
        limits: codeLimits,
        network,
        ...(lookup && { lookup }),
      },
      signal,
    )
    const own = { modules, browsers: browsers.folder, programs, cache: cache ?? '' }
    const found = cell.level === 'fallback' ? own : mounted
    return {
      cell,
      paths: {
        ...found,
        work: cell.work,
        cache: cache === null ? null : { folder: found.cache, isFilled: true },
      },
    }
  }

  /** Without it, everything is compiled in every process: slower, with the same results. */
  async #fillCache(): Promise<void> {
    const { runtime, folder, browsers } = this.#deps
    if (this.#cacheFolder !== null || !hasCompileCache(runtime)) return
    try {
      const { cell, paths } = await this.#openCell(this.#closing.signal)
      try {
        const begin = (style: ScriptStyle, cache: string) =>
          this.#begin(
            cell,
            { ...paths, cache: { folder: cache, isFilled: false } },
            { style, usesBrowser: false },
          )
        await fillCompileCache(cell, begin, this.#closing.signal)
        // Without a browser it lacks the functions that drive one.
        const shared = browsers.installed.length > 0 ? [compileCacheOf(runtime)] : []
        this.#cacheFolder = keepCompileCache(cell, [...shared, `${folder}-cache`])
      } finally {
        await remove(cell)
      }
    } catch (error) {
      this.#cacheProblem = `the compile cache couldn't be filled: ${error instanceof Error ? error.message : error}`
    }
  }

  async #begin(cell: Cell, paths: ScriptPaths, kind: HostKind): Promise<ScriptHost> {
    const { node, name } = this.#deps.runtime
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
      kind,
      onOutput: () => {},
      program: cell.start({
        argv: [
          join(paths.modules, '..', node),
          ...nodeFlags,
          join(paths.programs, 'host.cjs'),
          kind.style,
          ...(kind.usesBrowser ? ['browser'] : []),
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
    if (this.#cacheProblem !== null) coldReasons.push(this.#cacheProblem)
    if (isUp) this.#deps.onLoaded?.({ problem: null, coldReasons })
    if (isUp) return host
    const problem = `The runtime ${name} couldn't be loaded: ${output.trim().slice(-1_000) || 'it ended without a message'}`
    // Otherwise the agent ended it, which says nothing about the runtime.
    if (exitCode !== null) this.#deps.onLoaded?.({ problem, coldReasons })
    throw new MissingError(problem)
  }
}

const mounted = {
  modules: '/node_modules',
  browsers: '/browsers',
  programs: '/script',
  cache: '/compile-cache',
}

const isSame = (one: HostKind, other: HostKind) =>
  one.usesBrowser === other.usesBrowser && one.style === other.style

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
  copyFileSync(new URL('../suite/inside/reporter.cjs', import.meta.url), join(folder, 'reporter.cjs'))
  chmodSync(join(folder, 'reporter.cjs'), 0o644)
  // instrument.cjs injects it into pages.
  const vitals = new URL('./web-vitals.iife.js', import.meta.resolve('web-vitals'))
  writeFileSync(join(folder, 'web-vitals.js'), await readFile(vitals), { mode: 0o644 })
  return folder
}
