// One job of a check that is code, from what the server handed out to what is reported back. It always ends with a result.
import type { CodeCheckType, Job, ReportedResult } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import { brokenResult } from '../run/reported-result.ts'
import type { RunJob } from '../run/runs-in-flight.ts'
import { MissingError } from '../runtimes/missing.ts'
import { createScrubber } from '../scrub/scrub.ts'
import type { CodeContext, CodeRunner } from './code-run.ts'
import { type FinishDeps, finishRun } from './finish-run.ts'

export interface CodeJobDeps extends FinishDeps {
  runners: Readonly<Record<CodeCheckType, CodeRunner>>
  context: Omit<CodeContext, 'signal'>
  /** Errors of our own, scrubbed. */
  onError?(message: string): void
}

export function codeJobRunner(deps: CodeJobDeps): RunJob {
  const { clock } = deps.context
  return async (job: Job, signal: AbortSignal): Promise<ReportedResult> => {
    const startedAt = clock.now()
    const begin = clock.monotonic()
    try {
      const run = deps.runners[job.checkType as CodeCheckType]
      const outcome = await run(job, { ...deps.context, signal })
      try {
        const times = { startedAt, durationMs: clock.monotonic() - begin, isCancelled: isCalledOff(signal) }
        return await finishRun(job, outcome, times, deps, signal)
      } finally {
        await outcome.release()
      }
    } catch (error) {
      const message = createScrubber(job.secrets).text(errorMessage(error))
      const broken = brokenResult(job, { startedAt, durationMs: clock.monotonic() - begin }, message)
      // Whatever broke then broke because of that, and says nothing about the check.
      if (isCalledOff(signal)) return { ...broken, outcome: 'cancelled' }
      // What is not installed is no bug: the result says what to do.
      if (!(error instanceof MissingError)) deps.onError?.(`a run of code broke: ${message}`)
      return broken
    }
  }
}

/** Not so when its time is up: that is how it ended. */
function isCalledOff({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error | null)?.name !== 'TimeoutError'
}
