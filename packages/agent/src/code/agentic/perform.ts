// Performs a prompt with a model and a browser in its own cell. Both have ended before their output is read.
import type { Failure, Job } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { OutputFile } from '../../artifacts/output-file.ts'
import type { BrowsersFolder, InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, OpenCell } from '../../sandbox/cell.ts'
import { codeLimits } from '../../sandbox/code-limits.ts'
import { cutEnd } from '../../scrub/cut-secrets.ts'
import { createScrubber } from '../../scrub/scrub.ts'
import type { CodeContext, CodeOutcome } from '../code-runner.ts'
import { type BrowserHost, findOutputFile, HostError, openBrowserHost } from './browser-host.ts'
import { converse, type Performance } from './converse.ts'
import { repairTask, task } from './instructions.ts'
import { askModel, type ModelSettings } from './model.ts'
import { type FailedReplay, stepBlock } from './script.ts'
import { Transcript, type TranscriptStep } from './transcript.ts'
import type { Variables } from './variables.ts'

export interface AgenticDeps {
  openCell: OpenCell
  /** Null: the default runtime. */
  runtime(name: string | null, signal: AbortSignal): Promise<InstalledRuntime>
  browsers(runtime: InstalledRuntime): Promise<BrowsersFolder>
  /** Null: MODEL_URL isn't set. */
  model: ModelSettings | null
  /** Runs a script with the test runner like a browser check, with its variables in the environment. */
  replay(script: string, job: Job, context: CodeContext): Promise<CodeOutcome>
}

export interface AgenticRun {
  job: Job
  prompt: string
  promptHash: string
  variables: Variables
  context: CodeContext
  deps: AgenticDeps
}

export interface Performed extends Omit<CodeOutcome, 'detail'> {
  /** Null: it ended with an error. */
  performance: Performance | null
  steps: TranscriptStep[]
  /** Descriptions of the files, by name. */
  manifest: Record<string, string>
}

/** Paths in a namespaced cell. At the fallback level nothing is mounted, and the original paths are used. */
const mountPaths = { runtime: '/opt/vedette/runtime', browsers: '/opt/vedette/browsers' } as const

export async function perform(
  run: AgenticRun,
  model: ModelSettings,
  limits: { limitMs: number; maxTurns: number },
  failedReplay?: FailedReplay,
): Promise<Performed> {
  const { clock } = run.context
  const signal = AbortSignal.any([run.context.signal, AbortSignal.timeout(limits.limitMs)])
  const context = { ...run.context, signal }
  const transcript = new Transcript(context)
  let cell: Cell | null = null
  let host: BrowserHost | null = null
  let performance: Performance | null = null
  let trouble: unknown = null
  let startedAt: number | null = null
  try {
    const opened = await openBrowserCell(run, context)
    cell = opened.cell
    startedAt = clock.monotonic()
    host = await openBrowserHost({ ...opened, variables: run.variables.values, signal })
    performance = await performIn(host, { ...run, context }, model, limits.maxTurns, transcript, failedReplay)
  } catch (error) {
    trouble = error
  }
  const responseTimeMs = startedAt === null ? 0 : clock.monotonic() - startedAt
  // Also after a timeout: the trace shows what took so long.
  await host?.close()
  await cell?.end()
  return {
    ...judge(performance, trouble, limits.limitMs, run.context.signal),
    responseTimeMs,
    log: transcript.log(),
    steps: transcript.steps,
    performance,
    ...(await collectOutput(cell, performance)),
    release: async () => cell?.remove(),
  }
}

async function openBrowserCell({ job, deps }: AgenticRun, { network, lookup, signal }: CodeContext) {
  const runtime = await deps.runtime(job.runtimeId, signal)
  const browsers = await deps.browsers(runtime)
  const mounts = [
    { from: runtime.folder, to: mountPaths.runtime },
    { from: browsers.folder, to: mountPaths.browsers },
    ...browsers.reads.map((path) => ({ from: path, to: path })),
  ]
  const cell = await deps.openCell({ mounts, limits: codeLimits, network, lookup }, signal)
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
  { job, prompt, variables, context }: AgenticRun,
  model: ModelSettings,
  maxTurns: number,
  transcript: Transcript,
  failedReplay?: FailedReplay,
): Promise<Performance> {
  const scrubber = createScrubber(job.secrets)
  const names = Object.keys(variables.values)
  for (const step of failedReplay?.done ?? []) {
    const { ok, output } = await browser.run(stepBlock(step))
    if (!ok)
      throw new HostError(
        `a step that passed in the replay failed when it was repeated: ${step.title}: ${scrubber.text(output)}`,
      )
  }
  const worded = variables.nameSecrets(prompt)
  return converse({
    // The prompt or an error may contain secret values, which the model must not see.
    task: scrubber.text(failedReplay ? repairTask(worded, names, failedReplay) : task(worded, names)),
    prompt: variables.render(prompt),
    ask: (messages, tools) => askModel(model, { messages, tools }, context),
    browser,
    variables,
    scrubber,
    transcript,
    kept: failedReplay?.done ?? [],
    maxTurns,
  })
}

async function collectOutput(cell: Cell | null, performance: Performance | null) {
  const wanted = new Map(performance?.screenshots)
  wanted.set('screenshots/last-page.png', 'The page at the end')
  wanted.set('trace.zip', 'Trace of everything that was done in the browser')
  const files: OutputFile[] = []
  const manifest: Record<string, string> = {}
  for (const [name, description] of wanted) {
    const path = cell && (await findOutputFile(cell, name))
    if (path === null) continue
    const isTrace = name.endsWith('.zip')
    const contentType = isTrace ? 'application/zip' : 'image/png'
    files.push({ type: isTrace ? 'trace' : 'screenshot', name, path, contentType })
    manifest[name] = description
  }
  return { files, manifest }
}

function judge(performance: Performance | null, trouble: unknown, limitMs: number, signal: AbortSignal) {
  const because = (outcome: 'failed' | 'error', kind: Failure['kind'], message: string) => ({
    outcome,
    failure: { kind, message: cutEnd(message, 9_000), phase: 'judge' as const },
  })
  if (performance) {
    const broken = performance.assertions.find(({ passed }) => !passed)
    if (performance.trouble !== null) return because('error', 'script', performance.trouble)
    if (broken) {
      const { condition, expected, actual } = broken
      return because('failed', 'assertion', `${condition}: expected ${expected}, but found ${actual}.`)
    }
    if (performance.outcome !== 'passed') return because('failed', 'script', performance.summary)
    return { outcome: 'passed' as const, failure: null }
  }
  if (trouble instanceof Error && trouble.name === 'TimeoutError') {
    const limit = `The prompt wasn't completed within the time limit of ${Math.round(limitMs / 1000)} s.`
    return because('failed', 'timeout', limit)
  }
  if (signal.aborted)
    return because('error', 'internal', 'The run was canceled while the prompt was performed.')
  return because('error', trouble instanceof HostError ? 'script' : 'internal', errorMessage(trouble))
}
