// Performs a prompt with a model and a browser in its own cell. Both have ended before their output is read.
import type { Failure } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { OutputFile } from '../../artifacts/output-file.ts'
import type { BrowsersFolder, InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, OpenCell } from '../../sandbox/cell.ts'
import { codeLimits } from '../../sandbox/code-limits.ts'
import { cutEnd } from '../../scrub/cut-secrets.ts'
import { createScrubber } from '../../scrub/scrub.ts'
import type { CodeContext } from '../code-runner.ts'
import { type BrowserHost, findOutputFile, HostError, openBrowserHost } from './browser-host.ts'
import { converse, type Performance } from './converse.ts'
import { repairTask, task } from './instructions.ts'
import { askModel, type ModelSettings } from './model.ts'
import { type ScriptStep, stepBlock } from './script.ts'
import type { Transcript } from './transcript.ts'
import type { Variables } from './variables.ts'

export interface PerformDeps {
  openCell: OpenCell
  /** Null: the default runtime. */
  runtime(name: string | null, signal: AbortSignal): Promise<InstalledRuntime>
  browsers(runtime: InstalledRuntime): Promise<BrowsersFolder>
}

export interface PromptTask {
  prompt: string
  variables: Variables
  secrets: readonly string[]
  runtimeId: string | null
  limitMs: number
  maxTurns: number
  /** After a failed replay: the steps to repeat, the remaining ones, and the error. */
  repair?: { done: readonly ScriptStep[]; left: readonly ScriptStep[]; error: string }
}

export interface Performed {
  performance: Performance | null
  /** Why the run failed; null: it passed. */
  failure: PerformanceFailure | null
  durationMs: number
  files: OutputFile[]
  /** Descriptions of the files, by name. */
  manifest: Record<string, string>
  release(): Promise<void>
}

/** Paths in a namespaced cell. At the fallback level nothing is mounted, and the original paths are used. */
const mountPaths = { runtime: '/opt/vedette/runtime', browsers: '/opt/vedette/browsers' } as const

export async function perform(
  prompted: PromptTask,
  model: ModelSettings,
  deps: PerformDeps,
  transcript: Transcript,
  context: CodeContext,
): Promise<Performed> {
  const { clock } = context
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(prompted.limitMs)])
  let browserCell: BrowserCell
  try {
    browserCell = await openBrowserCell(prompted.runtimeId, deps, context, signal)
  } catch (trouble) {
    const failure = failureOfPerformance(null, trouble, prompted.limitMs, context.signal)
    return { performance: null, failure, durationMs: 0, files: [], manifest: {}, release: async () => {} }
  }
  const { cell, ...tools } = browserCell
  const startedAt = clock.monotonic()
  let host: BrowserHost | null = null
  let performance: Performance | null = null
  let trouble: unknown = null
  try {
    host = await openBrowserHost({
      cell,
      ...tools,
      variables: prompted.variables.values,
      signal,
    })
    performance = await performIn(host, prompted, model, transcript, { ...context, signal })
  } catch (error) {
    trouble = error
  }
  const durationMs = clock.monotonic() - startedAt
  // Also after a timeout: the trace shows what took so long.
  await host?.close()
  await cell.end()
  const output = await collectOutput(cell, performance)
  return {
    performance,
    failure: failureOfPerformance(performance, trouble, prompted.limitMs, context.signal),
    durationMs,
    ...output,
    release: () => cell.remove(),
  }
}

interface BrowserCell {
  cell: Cell
  runtime: string
  node: string
  env: Readonly<Record<string, string>>
}

async function openBrowserCell(
  runtimeId: string | null,
  deps: PerformDeps,
  context: CodeContext,
  signal: AbortSignal,
): Promise<BrowserCell> {
  const runtime = await deps.runtime(runtimeId, signal)
  const browsers = await deps.browsers(runtime)
  const cell = await deps.openCell(
    {
      mounts: [
        { from: runtime.folder, to: mountPaths.runtime },
        { from: browsers.folder, to: mountPaths.browsers },
        ...browsers.reads.map((path) => ({ from: path, to: path })),
      ],
      limits: codeLimits,
      network: context.network,
      ...(context.lookup && { lookup: context.lookup }),
    },
    signal,
  )
  const isMounted = cell.level !== 'fallback'
  const folder = isMounted ? mountPaths.runtime : runtime.folder
  return {
    cell,
    runtime: folder,
    node: `${folder}/${runtime.node}`,
    env: { PLAYWRIGHT_BROWSERS_PATH: isMounted ? mountPaths.browsers : browsers.folder },
  }
}

async function performIn(
  browser: BrowserHost,
  { prompt, variables, secrets, maxTurns, repair }: PromptTask,
  model: ModelSettings,
  transcript: Transcript,
  context: CodeContext,
): Promise<Performance> {
  const scrubber = createScrubber(secrets)
  const names = Object.keys(variables.values)
  for (const step of repair?.done ?? []) {
    const { ok, output } = await browser.run(stepBlock(step))
    if (!ok)
      throw new HostError(
        `a step that passed in the replay failed when it was repeated: ${step.title}: ${scrubber.text(output)}`,
      )
  }
  const worded = variables.nameSecrets(prompt)
  return converse({
    // The prompt or an error may contain secret values, which the model must not see.
    task: scrubber.text(repair ? repairTask(worded, names, repair) : task(worded, names)),
    prompt: variables.render(prompt),
    ask: (messages, tools) => askModel(model, { messages, tools }, context),
    browser,
    variables,
    scrubber,
    transcript,
    ...(repair && { kept: repair.done }),
    maxTurns,
  })
}

async function collectOutput(cell: Cell, performance: Performance | null) {
  const wanted = new Map(performance?.screenshots)
  wanted.set('screenshots/last-page.png', 'The page at the end')
  wanted.set('trace.zip', 'Trace of everything that was done in the browser')
  const files: OutputFile[] = []
  const manifest: Record<string, string> = {}
  for (const [name, description] of wanted) {
    const path = await findOutputFile(cell, name)
    if (path === null) continue
    const isTrace = name.endsWith('.zip')
    files.push({
      type: isTrace ? 'trace' : 'screenshot',
      name,
      path,
      contentType: isTrace ? 'application/zip' : 'image/png',
    })
    manifest[name] = description
  }
  return { files, manifest }
}

interface PerformanceFailure {
  outcome: 'failed' | 'error'
  failure: Failure
}

function failureOfPerformance(
  performance: Performance | null,
  trouble: unknown,
  limitMs: number,
  signal: AbortSignal,
): PerformanceFailure | null {
  const because = (outcome: 'failed' | 'error', kind: Failure['kind'], message: string) => ({
    outcome,
    failure: { kind, message: cutEnd(message, 9_000), phase: 'judge' as const },
  })
  if (performance) {
    const broken = performance.assertions.find(({ passed }) => !passed)
    if (performance.trouble !== null) return because('error', 'script', performance.trouble)
    if (broken) return because('failed', 'assertion', assertionText(broken))
    return performance.outcome === 'passed' ? null : because('failed', 'script', performance.summary)
  }
  const isTimeout = trouble instanceof Error && trouble.name === 'TimeoutError'
  if (isTimeout) {
    const limit = `The prompt wasn't completed within the time limit of ${Math.round(limitMs / 1000)} s.`
    return because('failed', 'timeout', limit)
  }
  if (signal.aborted)
    return because('error', 'internal', 'The run was canceled while the prompt was performed.')
  return because('error', trouble instanceof HostError ? 'script' : 'internal', errorMessage(trouble))
}

function assertionText({ condition, expected, actual }: Performance['assertions'][number]): string {
  return `${condition}: expected ${expected}, but found ${actual}.`
}
