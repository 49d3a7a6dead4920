// One run of a network check without scripts: render, observe, judge, scrub. It doesn't load the sandbox, which the uptime
// agent lacks.

import type { Failure, Job, Observation } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { NetworkCheck, RunContext } from '../checks/runner.ts'
import { observe, runnerOf } from '../checks/runners.ts'
import type { AssertionResult } from '../judge/assertions.ts'
import { judge } from '../judge/off-thread.ts'
import { type Verdict, verdictOf } from '../judge/verdict.ts'
import type { JobLog, JobLogLines } from '../sandbox/job-log.ts'
import { isConfidentialRequestHeader } from '../scrub/confidential-headers.ts'
import { createScrubber, maskRequestHeaders } from '../scrub/scrub.ts'
import { isObject } from './run-detail.ts'

/** The parts of a job that a run uses. */
export interface CheckRun extends Partial<Omit<Job, 'check' | 'variables' | 'secrets'>> {
  /** With the settings of its group merged in. */
  check: NetworkCheck
  /** All variables of the check, after precedence. */
  variables: Readonly<Record<string, string>>
  /** Values that must not leave this machine. */
  secrets: readonly string[]
}

export interface RunOutcome extends Verdict {
  startedAt: number
  durationMs: number
  responseTimeMs: number | null
  assertions: AssertionResult[]
  detail: unknown
  /** For runs with scripts. */
  jobLog?: JobLogLines
}

export async function runMonitor(run: CheckRun, context: RunContext): Promise<RunOutcome> {
  return judgeRun(run, await observeRun(run, context), context)
}

export async function observeRun(run: CheckRun, context: RunContext): Promise<Observation> {
  const begin = context.clock.monotonic()
  const fail = (failure: Failure) => failedObservation(failure, context, begin)
  try {
    const rendered = renderCheck(run)
    if ('failure' in rendered) return fail(rendered.failure)
    const observation = await observe(rendered.check, context)
    return rendered.undefinedText === null ? observation : { ...observation, hint: rendered.undefinedText }
  } catch (error) {
    return fail(internalFailure(error))
  }
}

export async function judgeRun(
  run: CheckRun,
  observation: Observation,
  { waits }: Pick<RunContext, 'waits'>,
  log?: JobLog,
): Promise<RunOutcome> {
  const { check } = run
  const { failure: observed } = observation
  // A run can pass with an expected failure, and its assertions still count.
  const isJudged = observed === null || runnerOf(check.checkType).isExpected?.(check, observed)
  const turn = { ...(run.accountId && { owner: run.accountId }), ...(waits && { waits }) }
  const assertions = isJudged ? await judge(check.request.assertions, observation.subjects, turn) : []
  const verdict = verdictOf(check.checkType, check, observation, assertions)
  const { startedAt, durationMs, responseTimeMs, detail } = observation
  const scrubber = createScrubber(run.secrets)
  const hint = observation.hint === undefined ? '' : ` ${observation.hint}`
  const failure = verdict.failure && { ...verdict.failure, message: `${verdict.failure.message}${hint}` }
  const scrubbed = scrubber.json({ ...verdict, failure, assertions, detail: maskCredentials(detail) })
  return {
    ...scrubbed,
    failure: scrubbed.failure && { ...scrubbed.failure, message: scrubbed.failure.message.slice(0, 10_000) },
    ...(log && { jobLog: log.scrub(scrubber) }),
    startedAt,
    durationMs,
    responseTimeMs,
  }
}

export function failedObservation(
  failure: Failure,
  { clock }: RunContext,
  begin = clock.monotonic(),
): Observation {
  const durationMs = clock.monotonic() - begin
  const startedAt = clock.now() - durationMs
  return { startedAt, durationMs, responseTimeMs: null, failure, detail: null, subjects: {} }
}

/** A runner that throws has a bug, which isn't a failure of the target. */
export function internalFailure(error: unknown): Failure {
  return { kind: 'internal', phase: 'setup', message: errorMessage(error) }
}

function renderCheck(
  run: CheckRun,
): { failure: Failure } | { check: NetworkCheck; undefinedText: string | null } {
  const { check } = run
  const rendered = runnerOf(check.checkType).render?.(check.request, run)
  if (rendered === undefined) return { check, undefinedText: null }
  if ('failure' in rendered) return rendered
  const { request, undefinedText } = rendered
  return { check: { ...check, request } as NetworkCheck, undefinedText }
}

function maskCredentials(detail: unknown): unknown {
  if (!isObject(detail) || !isObject(detail.request) || !isObject(detail.request.headers)) return detail
  const { request } = detail
  if (!Object.keys(detail.request.headers).some(isConfidentialRequestHeader)) return detail
  return { ...detail, request: { ...request, headers: maskRequestHeaders(detail.request.headers) } }
}
