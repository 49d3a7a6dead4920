// One run of a network check, from its settings to what may leave this machine: render, observe, judge, scrub.
import type { Observation } from '@vedette/contracts'
import { observe } from './checks/index.ts'
import type { NetworkCheck, RunContext } from './checks/runner.ts'
import { type AssertionResult, evaluateAssertions } from './judge/assertions.ts'
import { type Verdict, verdictOf } from './judge/verdict.ts'
import { createScrubber, maskRequestHeaders } from './scrub.ts'
import { renderRequest } from './template/render.ts'

export interface CheckRun {
  runId: string
  /** With the settings of its group merged in. */
  check: NetworkCheck
  /** Every variable that the check can reach, by precedence. */
  variables: Readonly<Record<string, string>>
  /** Values that must not leave this machine. */
  secrets: readonly string[]
  groupBaseUrl?: string | null
}

export interface RunOutcome extends Verdict {
  runId: string
  startedAt: number
  durationMs: number
  responseTimeMs: number | null
  assertions: AssertionResult[]
  detail: unknown
}

export async function runCheck(run: CheckRun, context: RunContext): Promise<RunOutcome> {
  const { check } = run
  const observation = await observed(run, context)
  // TCP with shouldFail passes on a failed connection: what is asserted about it counts all the same.
  const isJudged = observation.failure === null || (check.checkType === 'TCP' && check.shouldFail)
  const assertions = isJudged ? evaluateAssertions(check.request.assertions, observation.subjects) : []
  const verdict = verdictOf(check.checkType, check, observation, assertions)
  const { startedAt, durationMs, responseTimeMs, detail } = observation
  const { runId, secrets } = run
  const left = { ...verdict, assertions, detail: withoutCredentials(detail) }
  return { ...createScrubber(secrets).json(left), runId, startedAt, durationMs, responseTimeMs }
}

async function observed(run: CheckRun, context: RunContext): Promise<Observation> {
  const begin = context.clock.monotonic()
  const startedAt = context.clock.now()
  const failed = (failure: Observation['failure']): Observation => {
    const durationMs = context.clock.monotonic() - begin
    return { startedAt, durationMs, responseTimeMs: null, failure, detail: null, subjects: {} }
  }
  try {
    const rendered = withTemplates(run)
    if ('failure' in rendered) return failed(rendered.failure)
    return await observe(rendered, run.runId, context)
  } catch (error) {
    // A runner never throws; if one does, it is our bug and not the target's failure.
    return failed({ kind: 'internal', phase: 'setup', message: (error as Error).message })
  }
}

function withTemplates({ check, variables, groupBaseUrl }: CheckRun) {
  if (check.checkType !== 'API' && check.checkType !== 'URL') return check
  const rendered = renderRequest(check.request, { variables, groupBaseUrl: groupBaseUrl ?? null })
  return rendered.ok
    ? ({ ...check, request: rendered.request } as NetworkCheck)
    : { failure: rendered.failure }
}

function withoutCredentials(detail: unknown): unknown {
  const request = (detail as { request?: { headers?: Record<string, unknown> } } | null)?.request
  if (request?.headers === undefined) return detail
  return { ...(detail as object), request: { ...request, headers: maskRequestHeaders(request.headers) } }
}
