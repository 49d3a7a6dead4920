// Runs one job of a code check, from the claimed job to the reported result. It always returns a result.
import type { CodeCheckType, Job, ReportedResult } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import { isTimedOut } from '../net/failure.ts'
import { brokenResult } from '../run/reported-result.ts'
import { isCodeType } from '../run/run-limits.ts'
import type { RunJob } from '../run/runs-in-flight.ts'
import { MissingError } from '../runtimes/missing.ts'
import { createScrubber } from '../scrub/scrub.ts'
import type { CodeContext, CodeRunner, LogLine } from './code-runner.ts'
import type { Waiting } from './ensure-installed.ts'
import { type FinishDeps, finishRun } from './finish-run.ts'
import { type LiveLogDeps, openLiveLog } from './live-log.ts'

export interface CodeJobDeps extends FinishDeps {
  runners: Readonly<Record<CodeCheckType, CodeRunner>>
  /** Called before each run: installs what it needs. */
  prepare(job: Job, waiting: Waiting): Promise<void>
  context: Omit<CodeContext, 'signal' | 'onLine'>
  /** Of this agent, for results. */
  isolation(): { level: string; limits: string }
  sendLog: LiveLogDeps['send']
  /** Called with errors of the agent, scrubbed. */
  onError(message: string): void
}

export function codeJobRunner(deps: CodeJobDeps): RunJob {
  const { clock } = deps.context
  return async (job, signal, waits): Promise<ReportedResult> => {
    let startedAt = clock.now()
    let begin = clock.monotonic()
    const live = openLiveLog(job, { now: deps.now, send: deps.sendLog })
    try {
      const { checkType } = job
      if (!isCodeType(checkType)) throw new Error(`${checkType} isn't a code check`)
      const notes: LogLine[] = []
      const note = (msg: string) => {
        const line: LogLine = { time: Math.round(deps.now()), msg, level: 'INFO' }
        notes.push(line)
        live?.add(line)
      }
      // Time limits pause meanwhile.
      const end = waits?.begin()
      await deps.prepare(job, { signal, note }).finally(() => end?.())
      // What the agent had to install isn't part of the run.
      startedAt = clock.now()
      begin = clock.monotonic()
      const context = { ...deps.context, signal, ...(live && { onLine: live.add }) }
      const outcome = await deps.runners[checkType](job, context)
      outcome.log.unshift(...notes)
      try {
        live?.close()
        const times = { startedAt, durationMs: clock.monotonic() - begin, isCancelled: isCanceled(signal) }
        const detail = { ...outcome.detail, isolation: deps.isolation() }
        return await finishRun(job, { ...outcome, detail }, times, deps, signal)
      } finally {
        await outcome.release()
      }
    } catch (error) {
      const message = createScrubber(job.secrets).text(errorMessage(error))
      const broken = brokenResult(job, { startedAt, durationMs: clock.monotonic() - begin }, message)
      // The cancellation caused the error, which says nothing about the check.
      if (isCanceled(signal)) return { ...broken, outcome: 'cancelled' }
      // A missing runtime or browser isn't a bug: the result says what to do.
      if (!(error instanceof MissingError)) deps.onError(`a code run failed: ${message}`)
      return broken
    } finally {
      live?.close()
    }
  }
}

/** A run whose time is up isn't canceled. */
const isCanceled = (signal: AbortSignal) => signal.aborted && !isTimedOut(signal)
