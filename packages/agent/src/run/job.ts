// Runs one job, from what the server hands out to what is reported. It always ends with a result.

import type { Job, ReportedResult } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import { renderTemplate } from '@vedette/safeguards/template'
import { targetOfUrl } from '../checks/http-runner.ts'
import type { NetworkCheck, RunContext, Runner } from '../checks/runner.ts'
import { findRunner } from '../checks/runners.ts'
import type { BodyMemory } from '../net/body-budget.ts'
import { isTimedOut } from '../net/failure.ts'
import { createScrubber } from '../scrub/scrub.ts'
import { type DiagnoseFailure, isWorthDiagnosing } from './diagnosis.ts'
import { brokenResult, toReportedResult } from './reported-result.ts'
import { isObject } from './run-detail.ts'
import type { CheckRun, RunOutcome } from './run-monitor.ts'
import type { RunJob } from './runs-in-flight.ts'

export interface JobDeps extends Omit<RunContext, 'signal'> {
  runCheck(run: CheckRun, context: RunContext): Promise<RunOutcome>
  bodies: BodyMemory
  /** Absent: failures aren't diagnosed. */
  diagnoseFailure?: DiagnoseFailure
  /** Receives the agent's own errors, scrubbed. */
  onError?(message: string): void
}

export function createJobRunner(deps: JobDeps): RunJob {
  const { runCheck, bodies, diagnoseFailure, onError, ...shared } = deps
  const { clock } = shared
  return async (job, signal, waits) => {
    const startedAt = clock.now()
    const begin = clock.monotonic()
    const broken = (message: string): ReportedResult =>
      brokenResult(job, { startedAt, durationMs: clock.monotonic() - begin }, message)
    const proxy = proxyOf(job)
    if (proxy && 'error' in proxy) return broken(`The location's proxy can't be used: ${proxy.error}.`)
    const runner = findRunner(job.checkType)
    if (runner === null) return broken(`This agent doesn't run checks of the type ${job.checkType}.`)
    const { uses = [] } = runner
    const share = uses.includes('bodies') ? bodies.open(job.accountId) : null
    const secrets = proxy ? [...job.secrets, ...proxy.secrets] : job.secrets
    const context: RunContext = { ...shared, signal }
    if (proxy && uses.includes('proxy')) context.proxyUrl = proxy.url
    if (job.clientCertificates.length > 0 && uses.includes('clientCertificates'))
      context.clientCertificates = job.clientCertificates
    if (share) context.bodyBudget = share
    if (waits) context.waits = waits
    try {
      const outcome = await runCheck({ ...job, check: networkCheckOf(job), secrets }, context)
      share?.release()
      const isCancelled = signal.aborted && !isTimedOut(signal)
      const { failure } = outcome
      const diagnostics =
        isCancelled || failure === null
          ? undefined
          : await diagnosticsFor(job, runner, outcome, proxy, signal, deps)
      if (failure?.kind === 'internal' && !isCancelled)
        onError?.(`A run ended with an internal error: ${failure.message}`)
      return toReportedResult(job, outcome, { isCancelled, diagnostics, now: clock.now() })
    } catch (error) {
      const message = createScrubber(job.secrets).text(errorMessage(error))
      onError?.(`A run failed by a bug: ${message}`)
      return broken(message)
    } finally {
      share?.release()
    }
  }
}

/** Not parsed: the server sends what its contract says, and parsing would take longer than most runs. */
function networkCheckOf({ check }: Job): NetworkCheck {
  return check as unknown as NetworkCheck
}

type Proxy = { url: string; secrets: string[] }

/** The URL may contain variables, which are inserted without URL encoding, since they are encoded already. */
function proxyOf({ proxyUrl, variables }: Job): Proxy | { error: string } | null {
  if (!proxyUrl) return null
  const template = proxyUrl.replace(/\{\{\{?([^{}]*)\}?\}\}/g, '{{{$1}}}')
  const rendered = renderTemplate(template, { variables })
  if (!rendered.ok) return rendered
  if (!URL.canParse(rendered.text)) return { error: "it isn't a URL once its variables are replaced" }
  const { password } = new URL(rendered.text)
  return { url: rendered.text, secrets: password === '' ? [] : [password] }
}

async function diagnosticsFor(
  job: Job,
  runner: Runner,
  outcome: RunOutcome,
  proxy: Proxy | null,
  signal: AbortSignal,
  { diagnoseFailure, onError }: JobDeps,
): Promise<unknown> {
  const { failure, detail } = outcome
  if (!diagnoseFailure || failure === null || outcome.outcome !== 'failed' || !isWorthDiagnosing(failure))
    return undefined
  const isProxied = proxy !== null && runner.uses?.includes('proxy')
  const target = isProxied ? targetOfUrl(proxy.url) : runner.target(networkCheckOf(job).request, detail)
  // Unknown, or its name contains a masked secret.
  if (!target?.host || target.host.includes('***')) return undefined
  const { host, port } = target
  const { checkType, checkId, secrets } = job
  const tried = isObject(detail) ? detail.tried : null
  try {
    const diagnosis = await diagnoseFailure(checkId, { host, port, checkType, failure, tried }, signal)
    return createScrubber(secrets).json(diagnosis)
  } catch (error) {
    onError?.(`A diagnosis failed: ${createScrubber(secrets).text(errorMessage(error))}`)
    return undefined
  }
}
