// Runs agentic checks. The first run of a prompt is performed by a model and leaves a script; later runs replay that script
// without the model. A replay that fails is a failed run: a repaired script is proposed beside it, never put in its place.
import { createHash } from 'node:crypto'
import type { CodeOutcome, CodeRunner } from '../code-run.ts'
import { detailOf, replayedAssertions } from './agentic-detail.ts'
import type { AgenticDeps, AgenticRun } from './agentic-run.ts'
import { withoutModel, withoutVariables } from './not-performed.ts'
import { type Performed, perform } from './perform.ts'
import { repair } from './repair.ts'
import { type RepairLimit, repairLimit } from './repair-limit.ts'
import { replayedSteps } from './replay-report.ts'
import { readScript, writeScript } from './script.ts'
import { Transcript } from './transcript.ts'
import { Variables } from './variables.ts'

const limitMs = 240_000
const maxTurns = 40

export function agenticRunner(deps: AgenticDeps): CodeRunner {
  const repairs = repairLimit()
  return async (job, context) => {
    const prompt = String((job.check as { prompt?: unknown }).prompt ?? '')
    const promptHash = createHash('sha256').update(prompt).digest('hex')
    const variables = new Variables(job.variables, job.secrets)
    const run: AgenticRun = { job, prompt, promptHash, variables, context, deps }
    const missing = variables.missingIn(prompt)
    if (missing.length > 0) return withoutVariables(prompt, missing)
    const script = job.agenticScript?.promptHash === promptHash ? job.agenticScript.script : null
    return script === null ? firstRun(run) : replayRun(run, script, repairs)
  }
}

async function firstRun(run: AgenticRun): Promise<CodeOutcome> {
  const { prompt, context, deps, job } = run
  if (deps.model === null) return withoutModel(prompt)
  const transcript = new Transcript(() => context.clock.now())
  const performed = await perform(
    { ...run, secrets: job.secrets, runtimeId: job.runtimeId, limitMs, maxTurns },
    deps.model,
    deps,
    transcript,
    context,
  )
  const { performance, failure, manifest } = performed
  const script = performance
    ? writeScript(run.variables.nameSecrets(job.check.name), performance.steps)
    : null
  return {
    ...outcomeOf(performed),
    log: transcript.log(),
    detail: detailOf(
      prompt,
      {
        ...(performance?.summary && { summary: performance.summary }),
        assertions: performance?.assertions ?? [],
        suggestions: performance?.suggestions ?? [],
        steps: transcript.steps,
        artifactManifest: manifest,
        script: failure ? null : script,
      },
      failure?.failure ?? null,
    ),
    // Of a run that failed no script is kept: it would leave out what did not work.
    ...(script !== null &&
      !failure && {
        agenticScript: { kind: 'first' as const, script, promptHash: run.promptHash },
      }),
  }
}

async function replayRun(run: AgenticRun, script: string, repairs: RepairLimit): Promise<CodeOutcome> {
  const replayed = await run.deps.replay(script, run.job, run.context)
  try {
    return await judged(run, script, replayed, repairs)
  } catch (error) {
    await replayed.release()
    throw error
  }
}

async function judged(
  run: AgenticRun,
  script: string,
  replayed: CodeOutcome,
  repairs: RepairLimit,
): Promise<CodeOutcome> {
  const { job, prompt, context, deps } = run
  const steps = readScript(script) ?? []
  const results = await replayedSteps(replayed.files)
  const assertions = replayedAssertions(steps, results)
  const shared = { assertions, script, artifactManifest: manifestOf(replayed) }
  const summary = replayed.failure
    ? `Replayed the script of this prompt: ${replayed.failure.message}`
    : `Replayed the script of this prompt: all ${results.length || steps.length} steps passed.`
  const metrics = { responseTime: replayed.responseTimeMs }
  const outcome = { ...replayed, metrics, detail: detailOf(prompt, { ...shared, summary }, replayed.failure) }
  const mayRepair = deps.model !== null && !job.agenticScript?.isRepairProposed && !context.signal.aborted
  if (replayed.outcome !== 'failed' || !mayRepair || steps.length === 0) return outcome
  if (!repairs.allows(job.checkId, script, context.clock.now())) return outcome
  const firstBroken = results.findIndex(({ error }) => error !== null)
  const passed = firstBroken === -1 ? results.length : firstBroken
  const failed = {
    done: steps.slice(0, passed),
    left: steps.slice(passed),
    error: replayed.failure?.message ?? '',
  }
  return repair(run, outcome, failed, { ...shared, summary })
}

function manifestOf({ files }: CodeOutcome): Record<string, string> {
  const words = {
    trace: 'Trace of the replay',
    video: 'Video of the replay',
    screenshot: 'Picture of a page',
    report: 'Report of the test runner',
  }
  return Object.fromEntries(
    files.flatMap(({ type, name }) =>
      Object.hasOwn(words, type) ? [[name, words[type as keyof typeof words]]] : [],
    ),
  )
}

function outcomeOf({ failure, durationMs, files, release }: Performed) {
  return {
    outcome: failure?.outcome ?? ('passed' as const),
    failure: failure?.failure ?? null,
    responseTimeMs: durationMs,
    metrics: { responseTime: durationMs },
    sslDaysRemaining: null,
    files,
    foundSecrets: [],
    release,
  }
}
