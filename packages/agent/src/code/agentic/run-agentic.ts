// Runs agentic checks. A model performs the first run of a prompt, which creates a script; later runs replay that script without
// the model. A failed replay is a failed run: a repaired script is only a proposal.
import { createHash } from 'node:crypto'
import type { OutputFile } from '../../artifacts/output-file.ts'
import type { CodeOutcome, CodeRunner } from '../code-runner.ts'
import type { AgenticDeps, AgenticRun } from './agentic-deps.ts'
import { detailOf, replayedAssertions } from './agentic-detail.ts'
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
    const prompt = String(job.check.prompt ?? '')
    const promptHash = createHash('sha256').update(prompt).digest('hex')
    const variables = new Variables(job.variables, job.secrets)
    const run: AgenticRun = { job, prompt, promptHash, variables, context, deps }
    const missing = variables.missingIn(prompt)
    if (missing.length > 0) return withoutVariables(prompt, missing)
    const script = job.agenticScript?.promptHash === promptHash ? job.agenticScript.script : null
    return script === null ? firstRun(run) : replayRun(run, script, repairs)
  }
}

/** Runs a script of an agentic check like that of a browser check. */
export function replayWith(runScript: CodeRunner): AgenticDeps['replay'] {
  return (script, job, context) => {
    const check = { ...job.check, script, scriptPath: null, dependencies: [] }
    return runScript({ ...job, check, snippets: [] }, context)
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
    // A failed run leaves no script: it would lack the steps that failed.
    ...(script !== null &&
      !failure && {
        agenticScript: { kind: 'first' as const, script, promptHash: run.promptHash },
      }),
  }
}

async function replayRun(run: AgenticRun, script: string, repairs: RepairLimit): Promise<CodeOutcome> {
  const replayed = await run.deps.replay(script, run.job, run.context)
  try {
    return await judgeReplay(run, script, replayed, repairs)
  } catch (error) {
    await replayed.release()
    throw error
  }
}

async function judgeReplay(
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
  const { model } = deps
  const mayRepair = !job.agenticScript?.isRepairProposed && !context.signal.aborted
  if (replayed.outcome !== 'failed' || model === null || !mayRepair || steps.length === 0) return outcome
  if (!repairs.allows(job.checkId, script, context.clock.now())) return outcome
  const firstBroken = results.findIndex(({ error }) => error !== null)
  const passed = firstBroken === -1 ? results.length : firstBroken
  const failed = {
    done: steps.slice(0, passed),
    left: steps.slice(passed),
    error: replayed.failure?.message ?? '',
  }
  return repair(run, model, outcome, failed, { ...shared, summary })
}

function manifestOf({ files }: CodeOutcome): Record<string, string> {
  return Object.fromEntries(
    files.flatMap(({ type, name }) => {
      const description = fileDescriptions[type]
      return description === undefined ? [] : [[name, description]]
    }),
  )
}

const fileDescriptions: Partial<Record<OutputFile['type'], string>> = {
  trace: 'Trace of the replay',
  video: 'Video of the replay',
  screenshot: 'Screenshot of a page',
  report: 'Report of the test runner',
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
