// A prompt performed by a model in a browser of its own: a cell is opened, the browser started in it, and whatever happens
// both are ended before anyone looks at what they left.
import type { OutputFile } from '../../artifacts/output-file.ts'
import type { BrowsersFolder, InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, OpenCell } from '../../sandbox/cell.ts'
import { codeLimits } from '../../sandbox/code-limits.ts'
import { createScrubber } from '../../scrub/scrub.ts'
import type { CodeContext } from '../code-run.ts'
import { type BrowserHost, HostError, leftFile, openBrowserHost } from './browser-host.ts'
import { converse, type Performance } from './converse.ts'
import { repairTask, task } from './instructions.ts'
import { askModel, type ModelSettings } from './model.ts'
import { failureOfPerformance, type PerformanceFailure } from './performance-failure.ts'
import { type ScriptStep, stepBlock } from './script.ts'
import type { Transcript } from './transcript.ts'
import type { Variables } from './variables.ts'

export interface PerformDeps {
  openCell: OpenCell
  /** By the name that the check gives; null: the default one. */
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
  /** Of a replay that failed: what is done again first, and what went wrong then. */
  repair?: { done: readonly ScriptStep[]; left: readonly ScriptStep[]; error: string }
}

export interface Performed {
  performance: Performance | null
  /** Why the run did not pass; null: it did. */
  failure: PerformanceFailure | null
  durationMs: number
  files: OutputFile[]
  /** What each file is, by its name. */
  manifest: Record<string, string>
  release(): Promise<void>
}

/** Where the walls are strong; elsewhere nothing is mounted, and things are where they are. */
const inside = { runtime: '/opt/vedette/runtime', browsers: '/opt/vedette/browsers' } as const

export async function perform(
  prompted: PromptTask,
  model: ModelSettings,
  deps: PerformDeps,
  transcript: Transcript,
  context: CodeContext,
): Promise<Performed> {
  const { clock } = context
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(prompted.limitMs)])
  let place: Place
  try {
    place = await findPlace(prompted.runtimeId, deps, context, signal)
  } catch (trouble) {
    const failure = failureOfPerformance(null, trouble, prompted.limitMs, context.signal)
    return { performance: null, failure, durationMs: 0, files: [], manifest: {}, release: async () => {} }
  }
  const { cell, ...tools } = place
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
  // Also after a time-out: the trace shows what took so long.
  await host?.close()
  await cell.end()
  const left = await leftFiles(cell, performance)
  return {
    performance,
    failure: failureOfPerformance(performance, trouble, prompted.limitMs, context.signal),
    durationMs,
    ...left,
    release: () => cell.remove(),
  }
}

/** There in every cell. */
const isOfSystem = (path: string) => /^\/(?:usr|bin|sbin|lib\w*)(?:\/|$)/.test(path)

interface Place {
  cell: Cell
  runtime: string
  node: string
  env: Readonly<Record<string, string>>
}

async function findPlace(
  runtimeId: string | null,
  deps: PerformDeps,
  context: CodeContext,
  signal: AbortSignal,
): Promise<Place> {
  const runtime = await deps.runtime(runtimeId, signal)
  const browsers = await deps.browsers(runtime)
  const cell = await deps.openCell(
    {
      mounts: [
        { from: runtime.folder, to: inside.runtime },
        { from: browsers.folder, to: inside.browsers },
        ...browsers.reads.filter((path) => !isOfSystem(path)).map((path) => ({ from: path, to: path })),
      ],
      limits: codeLimits,
      network: context.network,
      ...(context.lookup && { lookup: context.lookup }),
    },
    signal,
  )
  const isWalled = cell.level === 'strong'
  const folder = isWalled ? inside.runtime : runtime.folder
  return {
    cell,
    runtime: folder,
    node: `${folder}/${runtime.node}`,
    env: { PLAYWRIGHT_BROWSERS_PATH: isWalled ? inside.browsers : browsers.folder },
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
      throw new HostError(`what worked before does not work twice: ${step.title}: ${scrubber.text(output)}`)
  }
  const worded = variables.nameSecrets(prompt)
  return converse({
    // A value that somebody wrote into the prompt, or an error repeats, is not for the model either.
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

async function leftFiles(cell: Cell, performance: Performance | null) {
  const wanted = new Map(performance?.screenshots)
  wanted.set('screenshots/last-page.png', 'The page at the end')
  wanted.set('trace.zip', 'Trace of everything that was done in the browser')
  const files: OutputFile[] = []
  const manifest: Record<string, string> = {}
  for (const [name, description] of wanted) {
    const path = await leftFile(cell, name)
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
