// What runs of agentic checks depend on.
import type { Job } from '@vedette/contracts'
import type { CodeContext, CodeOutcome } from '../code-runner.ts'
import type { ModelSettings } from './model.ts'
import type { PerformDeps } from './perform.ts'
import type { Variables } from './variables.ts'

export interface AgenticDeps extends PerformDeps {
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
