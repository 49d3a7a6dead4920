// Runs agentic checks. A model performs the first run of a prompt, which creates a script; later runs replay that script without
// the model. A failed replay is a failed run: a repaired script is only a proposal.
import { createHash } from 'node:crypto'
import type { OutputFile } from '../../artifacts/output-file.ts'
import type { CodeOutcome, CodeRunner } from '../code-runner.ts'
import { detailOf } from './agentic-detail.ts'
import { type AgenticDeps, type AgenticRun, perform } from './perform.ts'
import { repair } from './repair.ts'
import { replayedAssertions, replayedSteps } from './replay-report.ts'
import { readScript, writeScript } from './script.ts'
import type { Suggestion } from './tools.ts'
import { Variables } from './variables.ts'

const limitMs = 240_000
const maxTurns = 40

export function agenticRunner(deps: AgenticDeps): CodeRunner {
  const repairs = new RepairLimit()
  return async (job, context) => {
    const prompt = (job.check.checkType === 'AGENTIC' && job.check.prompt) || ''
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
  const { prompt, promptHash, variables, deps, job } = run
  if (deps.model === null) return missingSetting(prompt, noModelMessage, [])
  const { performance, steps, manifest, ...outcome } = await perform(run, deps.model, { limitMs, maxTurns })
  // A failed run leaves no script: it would lack the steps that failed.
  const script =
    performance && !outcome.failure
      ? writeScript(variables.nameSecrets(job.check.name), performance.steps)
      : null
  const { summary, assertions, suggestions } = performance ?? {}
  const detail = {
    ...(summary && { summary }),
    ...(performance && { assertions, suggestions }),
    steps,
    artifactManifest: manifest,
    script,
  }
  return {
    ...outcome,
    detail: detailOf(prompt, detail, outcome.failure),
    ...(script !== null && { agenticScript: { kind: 'first' as const, script, promptHash } }),
  }
}

async function replayRun(run: AgenticRun, script: string, repairs: RepairLimit): Promise<CodeOutcome> {
  const replayed = await run.deps.replay(script, run.job, run.context)
  return judgeReplay(run, script, replayed, repairs).catch(async (error) => {
    await replayed.release()
    throw error
  })
}

async function judgeReplay(run: AgenticRun, script: string, replayed: CodeOutcome, repairs: RepairLimit) {
  const { job, prompt, context, deps } = run
  const steps = readScript(script) ?? []
  const results = await replayedSteps(replayed.files)
  const assertions = replayedAssertions(steps, results)
  const shared = { assertions, script, artifactManifest: manifestOf(replayed) }
  const summary = replayed.failure
    ? `Replayed the script of this prompt: ${replayed.failure.message}`
    : `Replayed the script of this prompt: all ${results.length || steps.length} steps passed.`
  const outcome = { ...replayed, detail: detailOf(prompt, { ...shared, summary }, replayed.failure) }
  const { model } = deps
  const mayRepair = !job.agenticScript?.isRepairProposed && !context.signal.aborted
  if (replayed.outcome !== 'failed' || model === null || !mayRepair || steps.length === 0) return outcome
  if (!repairs.allows(job.checkId, script, context.clock.now())) return outcome
  const firstBroken = results.findIndex((error) => error !== null)
  const passed = firstBroken === -1 ? results.length : firstBroken
  const failed = {
    done: steps.slice(0, passed),
    left: steps.slice(passed),
    error: replayed.failure?.message ?? '',
  }
  return repair(run, model, outcome, failed, { ...shared, summary })
}

function manifestOf({ files }: CodeOutcome): Record<string, string> {
  const described = files.map(({ type, name }) => [name, fileDescriptions[type]])
  return Object.fromEntries(described.filter(([, description]) => description !== undefined))
}

const fileDescriptions: Partial<Record<OutputFile['type'], string>> = {
  trace: 'Trace of the replay',
  video: 'Video of the replay',
  screenshot: 'Screenshot of a page',
  report: 'Report of the test runner',
}

/** The outcome of a run that can't start, because a setting or a variable is missing. */
function missingSetting(prompt: string, message: string, suggestions: Suggestion[]): CodeOutcome {
  const failure = { kind: 'script', message, phase: 'setup' } as const
  return {
    outcome: 'error',
    failure,
    responseTimeMs: null,
    detail: detailOf(prompt, { suggestions }, failure),
    log: [],
    files: [],
    release: async () => {},
  }
}

const noModelMessage =
  "MODEL_URL isn't set: the first run of an agentic check needs a language model. Set MODEL_URL (and MODEL_NAME, " +
  'MODEL_API_KEY) of the agent, or of the server for its built-in agent, to an OpenAI-compatible endpoint.'

function withoutVariables(prompt: string, names: string[]): CodeOutcome {
  const listed = names.map((name) => `{{${name}}}`).join(', ')
  const message =
    names.length === 1
      ? `The prompt uses ${listed}, but the variable isn't defined.`
      : `The prompt uses ${listed}, but these variables aren't defined.`
  const suggestion: Suggestion = {
    summary: `Add ${names.join(', ')} as a variable of the check, its group or the account.`,
    prompt: listed,
    promptReplacement: '',
    secrets: names,
    category: 'credentials',
  }
  return missingSetting(prompt, message, [suggestion])
}

const everyMs = 60 * 60_000
const maxRemembered = 10_000

/** Limits how often a model repairs a script: a site that is down for a day must not cost a conversation per run. */
class RepairLimit {
  readonly #lastTries = new Map<string, { script: string; at: number }>()

  allows(checkId: string, script: string, now: number): boolean {
    const last = this.#lastTries.get(checkId)
    if (last && last.script === script && now - last.at < everyMs) return false
    // Moved to the end: the oldest entry is evicted first.
    this.#lastTries.delete(checkId)
    this.#lastTries.set(checkId, { script, at: now })
    const [oldest = checkId] = this.#lastTries.keys()
    if (this.#lastTries.size > maxRemembered) this.#lastTries.delete(oldest)
    return true
  }
}
