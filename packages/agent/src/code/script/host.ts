// A process that runs one script, as the agent uses it: its paths, its environment and the order that starts the script.
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Cell, RunningProgram } from '../../sandbox/cell.ts'
import type { Workspace } from './workspace.ts'

/** With the test runner, or with Playwright only. */
export type ScriptStyle = 'test' | 'plain'

/** What a host is started for. One of another kind serves a run too, more slowly. */
export interface HostKind {
  style: ScriptStyle
  /** It has a browser. An idle one takes 140 MB (PSS). */
  usesBrowser: boolean
}

/** Paths as programs in the cell see them. */
export interface ScriptPaths {
  work: string
  modules: string
  browsers: string
  programs: string
  /** V8's compiled code of the runtime; null: there is none. */
  cache: { folder: string; isFilled: boolean } | null
}

export interface ScriptHost {
  cell: Cell
  paths: ScriptPaths
  program: RunningProgram
  /** It ended before its run: it exceeded a limit, or was killed. */
  hasEnded: boolean
  kind: HostKind
  /** Receives the output of the script. */
  onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void
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
    VEDETTE_PATHS: JSON.stringify(paths),
    PLAYWRIGHT_BROWSERS_PATH: paths.browsers,
    PWTEST_CACHE_DIR: join(paths.work, '.vedette/compiled'),
    PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1',
  }
}

interface OrderSettings {
  usesBrowser: boolean
  /** See compiled-scripts.ts. */
  wantsCompiled?: boolean
  /** Variables of the script. */
  env: Readonly<Record<string, string>>
  /** For script.config.cjs. */
  config?: Readonly<Record<string, unknown>>
}

/** The line that starts the script; see programs/host.cjs. */
export function scriptOrder(
  { cell, paths }: Pick<ScriptHost, 'cell' | 'paths'>,
  { mode, file, isAlone, hasEsModules, written }: Workspace,
  { usesBrowser, wantsCompiled = false, env, config = {} }: OrderSettings,
): string {
  const path = join(paths.work, file)
  const order = {
    mode,
    config: join(paths.programs, 'script.config.cjs'),
    file: mode === 'test' ? escapeFilter(path) : path,
    isAlone,
    hasEsModules,
    usesBrowser,
    compiles: wantsCompiled ? written.filter(isCode).map((path) => join(paths.work, path)) : null,
    env: {
      ...env,
      VEDETTE_SCRIPT: JSON.stringify({ file: path, ...config }),
    },
    keep: Object.keys(hostEnvironment(cell, paths)),
  }
  return `${JSON.stringify(order)}\n`
}

const isCode = (path: string) => /\.[cm]?[jt]sx?$/.test(path)

/** The runner treats it as a regular expression. */
const escapeFilter = (path: string) => path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
