// After a failed replay, a model continues on the current site. The repaired script is only a proposal.
import type { CodeOutcome } from '../code-runner.ts'
import type { AgenticRun } from './agentic-deps.ts'
import { type AgenticDetail, detailOf } from './agentic-detail.ts'
import type { ModelSettings } from './model.ts'
import { type Performed, perform } from './perform.ts'
import { type ScriptStep, verifyPrefix, writeScript } from './script.ts'
import type { Suggestion } from './tools.ts'
import { Transcript } from './transcript.ts'

const limitMs = 150_000
const maxTurns = 25

type Shared = Pick<AgenticDetail, 'assertions' | 'script' | 'artifactManifest' | 'summary'>

/** The run stays failed. People decide about the proposal. */
export async function repair(
  run: AgenticRun,
  model: ModelSettings,
  outcome: CodeOutcome,
  failed: { done: ScriptStep[]; left: ScriptStep[]; error: string },
  shared: Shared,
): Promise<CodeOutcome> {
  const { job, prompt, context, deps } = run
  const transcript = new Transcript(context)
  const repaired = await perform(
    {
      ...run,
      secrets: job.secrets,
      runtimeId: job.runtimeId,
      limitMs,
      maxTurns,
      repair: failed,
    },
    model,
    deps,
    transcript,
    context,
  )
  const { performance } = repaired
  const isRepaired =
    repaired.failure === null && performance !== null && provesAsMuch(failed, performance.steps)
  const script = isRepaired ? writeScript(run.variables.nameSecrets(job.check.name), performance.steps) : null
  const suggestions = [...(performance?.suggestions ?? []), ...(script === null ? [] : [reviewSuggestion])]
  return {
    ...outcome,
    log: [...outcome.log, ...transcript.log()],
    files: [...outcome.files, ...repaired.files.map((file) => ({ ...file, name: `repair/${file.name}` }))],
    detail: detailOf(
      prompt,
      {
        ...shared,
        suggestions,
        steps: transcript.steps,
        artifactManifest: { ...shared.artifactManifest, ...ofRepair(repaired) },
      },
      outcome.failure,
    ),
    ...(script !== null && {
      agenticScript: { kind: 'repair' as const, script, promptHash: run.promptHash },
    }),
    async release() {
      await Promise.allSettled([outcome.release(), repaired.release()])
    },
  }
}

const reviewSuggestion: Suggestion = {
  summary:
    'The site has changed: a repaired script was found and waits for review. Accept or reject it; until then the current one stays in use.',
  prompt: '',
  promptReplacement: '',
  secrets: [],
  category: 'configuration',
}

/** A repair must keep all assertions. */
function provesAsMuch(
  { done, left }: { done: ScriptStep[]; left: ScriptStep[] },
  steps: ScriptStep[],
): boolean {
  const proofs = (some: ScriptStep[]) =>
    new Set(some.map(({ title }) => title).filter((title) => title.startsWith(verifyPrefix)))
  return proofs(steps).size >= proofs([...done, ...left]).size
}

function ofRepair({ manifest }: Performed): Record<string, string> {
  return Object.fromEntries(
    Object.entries(manifest).map(([name, description]) => [
      `repair/${name}`,
      `While repairing: ${description}`,
    ]),
  )
}
