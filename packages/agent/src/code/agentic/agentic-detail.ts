// The result detail of an agentic check. Pure.
import type { CodeOutcome } from '../code-runner.ts'
import type { ProvedAssertion } from './converse.ts'
import type { Suggestion } from './tools.ts'
import type { TranscriptStep } from './transcript.ts'

export interface AgenticDetail {
  summary: string
  prompt: string
  assertions: ProvedAssertion[]
  suggestions: Suggestion[]
  steps: TranscriptStep[]
  errors: { message: string }[]
  artifactManifest: Record<string, string>
  /** What was performed or replayed, for review. */
  script: string | null
}

export function detailOf(
  prompt: string,
  some: Partial<AgenticDetail>,
  failure: CodeOutcome['failure'],
): AgenticDetail & Record<string, unknown> {
  return {
    summary: failure?.message ?? '',
    assertions: [],
    suggestions: [],
    steps: [],
    errors: failure ? [{ message: failure.message }] : [],
    artifactManifest: {},
    script: null,
    ...some,
    prompt,
  }
}
