// Starts a process with the runtime loaded, in its own cell. It serves one run.
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
import {
  type HostKind,
  hostEnvironment,
  type ScriptHost,
  type ScriptPaths,
  type ScriptStyle,
} from './host.ts'

const startMs = 60_000
/** V8 collects garbage less often while it loads Playwright: 8 % less CPU. Workers of the runner inherit it. */
const nodeFlags = ['--min-semi-space-size=32', '--max-semi-space-size=32']

const mounted = {
  modules: '/node_modules',
  browsers: '/browsers',
  programs: '/script',
  cache: '/compile-cache',
}

export interface StarterDeps {
  /** For our programs; removed with the agent's other temporary files. */
  folder: string
  openCell: OpenCell
  runtime: InstalledRuntime
  browsers: BrowsersFolder
  network: CellSettings['network']
  lookup?: CellSettings['lookup']
  /** Called after each start of a host. */
  onLoaded?(state: RuntimeState): void
}

export interface RuntimeState {
  /** Why the runtime can't be loaded; null: it can. */
  problem: string | null
  /** Why parts of it can't be loaded ahead of a run. */
  coldReasons: readonly string[]
}

export class HostStarter {
  readonly #deps: StarterDeps
  #programs: Promise<string> | null = null
  #cache: Promise<void> | null = null
  /** Null until it is filled. */
  #cacheFolder: string | null
  #cacheProblem: string | null = null

  constructor(deps: StarterDeps) {
    this.#deps = deps
    this.#cacheFolder = existingCompileCache(deps.runtime)
  }

  /** The first one fills the compile cache; later ones wait for that. */
  async startAhead(signal: AbortSignal, kind: HostKind): Promise<ScriptHost> {
    this.#cache ??= this.#fillCache(signal)
    await this.#cache
    return this.start(signal, kind)
  }

  async start(signal: AbortSignal, kind: HostKind): Promise<ScriptHost> {
    const { cell, paths } = await this.#openCell(signal)
    try {
      return await this.#begin(cell, paths, kind)
    } catch (error) {
      await removeCell(cell)
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
        lookup,
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
  async #fillCache(signal: AbortSignal): Promise<void> {
    const { runtime, folder, browsers } = this.#deps
    if (this.#cacheFolder !== null || !hasCompileCache(runtime)) return
    try {
      const { cell, paths } = await this.#openCell(signal)
      try {
        const begin = (style: ScriptStyle, cache: string) =>
          this.#begin(
            cell,
            { ...paths, cache: { folder: cache, isFilled: false } },
            { style, usesBrowser: false },
          )
        await fillCompileCache(cell, begin, signal)
        // Without a browser it lacks the functions that drive one.
        const shared = browsers.installed.length > 0 ? [compileCacheOf(runtime)] : []
        this.#cacheFolder = keepCompileCache(cell, [...shared, `${folder}-cache`])
      } finally {
        await removeCell(cell)
      }
    } catch (error) {
      this.#cacheProblem = `the compile cache couldn't be filled: ${error instanceof Error ? error.message : error}`
    }
  }

  async #begin(cell: Cell, paths: ScriptPaths, kind: HostKind): Promise<ScriptHost> {
    const { node, name } = this.#deps.runtime
    let output = ''
    let isReady = false
    const { promise: ready, resolve: onReady } = Promise.withResolvers<boolean>()
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

export async function removeCell(cell: Cell): Promise<void> {
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
