// After a failed replay, a model continues on the current site. The repaired script is only a proposal.
import type { CodeOutcome } from '../code-runner.ts'
import { type AgenticDetail, detailOf } from './agentic-detail.ts'
import type { ModelSettings } from './model.ts'
import { type AgenticRun, perform } from './perform.ts'
import { type FailedReplay, type ScriptStep, verifyPrefix, writeScript } from './script.ts'
import type { Suggestion } from './tools.ts'

const limitMs = 150_000
const maxTurns = 25

type Shared = Pick<AgenticDetail, 'assertions' | 'script' | 'artifactManifest' | 'summary'>

/** The run stays failed. People decide about the proposal. */
export async function repair(
  run: AgenticRun,
  model: ModelSettings,
  outcome: CodeOutcome,
  failed: FailedReplay,
  shared: Shared,
): Promise<CodeOutcome> {
  const { job, prompt, promptHash, variables } = run
  const repaired = await perform(run, model, { limitMs, maxTurns }, failed)
  const { performance } = repaired
  const isRepaired =
    repaired.failure === null && performance !== null && provesAsMuch(failed, performance.steps)
  const script = isRepaired ? writeScript(variables.nameSecrets(job.check.name), performance.steps) : null
  const suggestions = [...(performance?.suggestions ?? []), ...(script === null ? [] : [reviewSuggestion])]
  const performed = { suggestions, steps: repaired.steps }
  const manifest = Object.entries(repaired.manifest).map(([name, description]) => [
    `repair/${name}`,
    `While repairing: ${description}`,
  ])
  const artifactManifest = { ...shared.artifactManifest, ...Object.fromEntries(manifest) }
  return {
    ...outcome,
    log: [...outcome.log, ...repaired.log],
    files: [...outcome.files, ...repaired.files.map((file) => ({ ...file, name: `repair/${file.name}` }))],
    detail: detailOf(prompt, { ...shared, ...performed, artifactManifest }, outcome.failure),
    ...(script !== null && { agenticScript: { kind: 'repair' as const, script, promptHash } }),
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
function provesAsMuch({ done, left }: FailedReplay, steps: ScriptStep[]): boolean {
  const proofs = (some: ScriptStep[]) =>
    new Set(some.map(({ title }) => title).filter((title) => title.startsWith(verifyPrefix)))
  return proofs(steps).size >= proofs([...done, ...left]).size
}
