// One job, from what the server handed out to what is reported back. It always ends with a result.

import type { Job, ReportedResult } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import { errorMessage } from '@vedette/safeguards/errors'
import { renderTemplate } from '@vedette/safeguards/template'
import { targetOfUrl } from '../checks/http-runner.ts'
import type { NetworkCheck, RunContext, Runner, Target } from '../checks/runner.ts'
import { findRunner } from '../checks/runners.ts'
import type { AgentClock } from '../core/clock.ts'
import type { BodyMemory } from '../net/body-budget.ts'
import { createScrubber } from '../scrub/scrub.ts'
import { type FindOut, isWorthDiagnosing } from './diagnosis.ts'
import { brokenResult, reportedResult } from './reported-result.ts'
import type { CheckRun, RunOutcome } from './run-monitor.ts'
import type { RunJob } from './runs-in-flight.ts'

export interface JobDeps {
  runCheck(run: CheckRun, context: RunContext): Promise<RunOutcome>
  clock: AgentClock
  network: NetworkPolicy
  userAgent: string
  /** Absent: by the agent's own queries. */
  lookup?: RunContext['lookup']
  /** Absent: auto. */
  sandbox?: RunContext['sandbox']
  bodies: BodyMemory
  /** Absent: failures are not looked into. */
  findOut?: FindOut
  /** Errors of our own, scrubbed. */
  onError?(message: string): void
}

export function jobRunner(deps: JobDeps): RunJob {
  const { clock } = deps
  return async (job, signal, waits) => {
    const startedAt = clock.now()
    const begin = clock.monotonic()
    const broken = (message: string): ReportedResult =>
      brokenResult(job, { startedAt, durationMs: clock.monotonic() - begin }, message)
    const proxy = proxyOf(job)
    if (proxy && 'error' in proxy) return broken(`The location's proxy can't be used: ${proxy.error}.`)
    const runner = findRunner(job.checkType)
    if (runner === null) return broken(`This agent doesn't run checks of the type ${job.checkType}.`)
    const uses = new Set(runner.uses)
    const share = uses.has('bodies') ? deps.bodies.open(job.accountId) : null
    try {
      const outcome = await deps.runCheck(checkRunOf(job, proxy), {
        signal,
        clock,
        network: deps.network,
        userAgent: deps.userAgent,
        ...(deps.lookup && { lookup: deps.lookup }),
        ...(deps.sandbox && { sandbox: deps.sandbox }),
        ...(uses.has('proxy') && proxy && { proxyUrl: proxy.url }),
        ...(uses.has('clientCertificates') &&
          job.clientCertificates.length > 0 && { clientCertificates: job.clientCertificates }),
        ...(share && { bodyBudget: share }),
        ...(waits && { waits }),
      })
      share?.release()
      const isCancelled = signal.aborted && (signal.reason as Error | null)?.name !== 'TimeoutError'
      const diagnostics = isCancelled
        ? undefined
        : await diagnosticsFor(job, runner, outcome, proxy, signal, deps)
      const { failure } = outcome
      if (failure?.kind === 'internal' && !isCancelled)
        deps.onError?.(`a run ended by itself: ${failure.message}`)
      return reportedResult(job, outcome, { isCancelled, diagnostics, now: clock.now() })
    } catch (error) {
      const message = createScrubber(job.secrets).text(errorMessage(error))
      deps.onError?.(`a run broke: ${message}`)
      return broken(message)
    } finally {
      share?.release()
    }
  }
}

function checkRunOf(job: Job, proxy: { secrets: string[] } | null): CheckRun {
  return {
    ...job,
    // The server sends what its contract says; parsing it again for every run would cost more than the run.
    check: job.check as unknown as NetworkCheck,
    secrets: proxy ? [...job.secrets, ...proxy.secrets] : job.secrets,
  }
}

type Proxy = { url: string; secrets: string[] }

/** A proxy's address may be made of variables, which are put in as they are: they hold escapes of their own. */
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
  { findOut, onError }: JobDeps,
): Promise<unknown> {
  const { failure, detail } = outcome
  if (!findOut || failure === null || outcome.outcome !== 'failed' || !isWorthDiagnosing(failure))
    return undefined
  const target = targetOf(job, runner, detail, proxy)
  if (!target) return undefined
  const tried = (detail as { tried?: unknown } | null)?.tried ?? null
  try {
    const found = await findOut(job.checkId, { ...target, checkType: job.checkType, failure, tried }, signal)
    return createScrubber(job.secrets).json(found)
  } catch (error) {
    onError?.(`a diagnosis broke: ${createScrubber(job.secrets).text(errorMessage(error))}`)
    return undefined
  }
}

/** Who didn't respond. Null where a secret stands in the address: what left the run has a mask there. */
function targetOf(
  job: Job,
  runner: Runner,
  detail: unknown,
  proxy: Proxy | null,
): { host: string; port: number | null } | null {
  const { request } = job.check as unknown as NetworkCheck
  const isProxied = proxy !== null && runner.uses?.includes('proxy')
  const target: Target | null = isProxied ? targetOfUrl(proxy.url) : runner.target(request, detail)
  const { host = '', port } = target ?? { port: null }
  return host === '' || host.includes('***') ? null : { host, port }
}
