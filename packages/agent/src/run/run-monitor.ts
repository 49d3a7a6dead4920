// One run of a network check without scripts, from its settings to what may leave this machine: render, observe, judge,
// scrub. Nothing of the sandbox is loaded here: the uptime agent has none.

import type { Failure, Observation } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { NetworkCheck, RunContext } from '../checks/runner.ts'
import { observe, runnerOf } from '../checks/runners.ts'
import type { AssertionResult } from '../judge/assertions.ts'
import { judge } from '../judge/off-thread.ts'
import { type Verdict, verdictOf } from '../judge/verdict.ts'
import type { JobLog, JobLogLines } from '../sandbox/job-log.ts'
import { createScrubber, maskRequestHeaders } from '../scrub/scrub.ts'
import type { ScriptedRun } from './script-facts.ts'

export interface CheckRun extends ScriptedRun {
  runId: string
  /** Among accounts the agent's resources are shared. */
  accountId?: string
}

export interface RunOutcome extends Verdict {
  runId: string
  startedAt: number
  durationMs: number
  responseTimeMs: number | null
  assertions: AssertionResult[]
  detail: unknown
  /** Of runs with scripts. */
  jobLog?: JobLogLines
}

export async function runMonitor(run: CheckRun, context: RunContext): Promise<RunOutcome> {
  return concluded(run, await observed(run, context), context)
}

export async function observed(run: CheckRun, context: RunContext): Promise<Observation> {
  const begin = context.clock.monotonic()
  const failed = (failure: Failure) => unobserved(failure, context, begin)
  try {
    const rendered = withTemplates(run)
    if ('failure' in rendered) return failed(rendered.failure)
    const observation = await observe(rendered.check, run.runId, context)
    return rendered.undefinedText === null ? observation : { ...observation, hint: rendered.undefinedText }
  } catch (error) {
    return failed(ownFailure(error))
  }
}

export async function concluded(
  run: CheckRun,
  observation: Observation,
  { waits }: Pick<RunContext, 'waits'>,
  log?: JobLog,
): Promise<RunOutcome> {
  const { check, runId } = run
  const { failure: own } = observation
  // A run can pass on a failure that is expected: what is asserted about it counts all the same.
  const isJudged = own === null || runnerOf(check.checkType).isExpected?.(check, own)
  const turn = { ...(run.accountId && { owner: run.accountId }), ...(waits && { waits }) }
  const assertions = isJudged ? await judge(check.request.assertions, observation.subjects, turn) : []
  const verdict = verdictOf(check.checkType, check, observation, assertions)
  const { startedAt, durationMs, responseTimeMs, detail } = observation
  const scrubber = createScrubber(run.secrets)
  const failure = withHint(verdict.failure, observation.hint)
  const left = scrubber.json({ ...verdict, failure, assertions, detail: withoutCredentials(detail) })
  return {
    ...left,
    failure: left.failure && { ...left.failure, message: left.failure.message.slice(0, 10_000) },
    ...(log && { jobLog: log.scrubbed(scrubber) }),
    runId,
    startedAt,
    durationMs,
    responseTimeMs,
  }
}

export function unobserved(failure: Failure, { clock }: RunContext, begin = clock.monotonic()): Observation {
  const durationMs = clock.monotonic() - begin
  const startedAt = clock.now() - durationMs
  return { startedAt, durationMs, responseTimeMs: null, failure, detail: null, subjects: {} }
}

function withHint(failure: Failure | null, hint: string | undefined): Failure | null {
  return failure === null || hint === undefined
    ? failure
    : { ...failure, message: `${failure.message} ${hint}` }
}

/** A runner never throws; if one does, it is our bug and not the target's failure. */
export function ownFailure(error: unknown): Failure {
  return { kind: 'internal', phase: 'setup', message: errorMessage(error) }
}

function withTemplates(
  run: CheckRun,
): { failure: Failure } | { check: NetworkCheck; undefinedText: string | null } {
  const { check } = run
  const rendered = runnerOf(check.checkType).render?.(check.request, run)
  if (rendered === undefined) return { check, undefinedText: null }
  if ('failure' in rendered) return rendered
  const { request, undefinedText } = rendered
  return { check: { ...check, request } as NetworkCheck, undefinedText }
}

function withoutCredentials(detail: unknown): unknown {
  const request = (detail as { request?: { headers?: Record<string, unknown> } } | null)?.request
  if (request?.headers === undefined) return detail
  return { ...(detail as object), request: { ...request, headers: maskRequestHeaders(request.headers) } }
}
