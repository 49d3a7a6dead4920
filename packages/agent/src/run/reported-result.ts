// The outcome of a run in the shape of the agent protocol.
import type { Failure, Job, ReportedResult } from '@vedette/contracts'
import { arrangeMetrics, metricLayoutVersion } from '@vedette/contracts/runs'
import type { SeenCertificate } from '../checks/runner.ts'
import { findRunner } from '../checks/runners.ts'
import { roundMs } from '../net/timings.ts'
import { detailText } from './run-detail.ts'
import type { RunOutcome } from './run-monitor.ts'

type Measured = Pick<RunOutcome, 'responseTimeMs' | 'detail'>

export function metricsOf(checkType: string, run: Measured): (number | null)[] {
  const runner = findRunner(checkType)
  return runner === null ? [] : arrangeMetrics(runner.type, runner.metrics(run)).map(measuredOrNull)
}

export function measuredOrNull(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : null
}

export function toReportedResult(
  job: Job,
  outcome: RunOutcome,
  more: { isCancelled: boolean; diagnostics?: unknown; now: number },
): ReportedResult {
  const { assertions, detail: observed, jobLog } = outcome
  const failure = storableFailure(outcome.failure)
  const runner = observed === null ? null : findRunner(job.checkType)
  const certificate = runner?.certificate?.(observed)
  return {
    token: job.token,
    startedAt: Math.round(outcome.startedAt),
    durationMs: roundMs(Math.max(0, outcome.durationMs)),
    responseTimeMs: outcome.responseTimeMs,
    outcome: more.isCancelled ? 'cancelled' : outcome.outcome,
    overMaxResponseTime: outcome.overMaxResponseTime,
    failure,
    statusCode: statusOrNull(runner?.statusCode?.(observed)),
    metrics: metricsOf(job.checkType, outcome),
    metricLayout: metricLayoutVersion,
    sslDaysRemaining: daysUntil(certificate?.validTo, more.now),
    certificate: storableCertificate(certificate),
    artifacts: [],
    agenticScript: null,
    detail: detailText(
      {
        failure,
        assertions,
        observed,
        ...(jobLog && { jobLog }),
        ...(more.diagnostics !== undefined && { diagnostics: more.diagnostics }),
      },
      job.secrets.length > 0,
    ),
  }
}

const maxMessageChars = 10_000

/** The server cannot store NUL or half a surrogate pair, which truncation can leave. */
export function storableText(text: string, maxChars = Number.POSITIVE_INFINITY): string {
  return text.replaceAll('\0', '').slice(0, maxChars).toWellFormed()
}

export function storableFailure(failure: Failure | null): Failure | null {
  return failure && { ...failure, message: storableText(failure.message, maxMessageChars) }
}

/** For a run that failed because of the agent, not its target. */
export function brokenResult(
  job: Job,
  times: { startedAt: number; durationMs: number },
  message: string,
): ReportedResult {
  const failure: Failure = { kind: 'internal', message, phase: 'setup' }
  const unmeasured = { responseTimeMs: null, overMaxResponseTime: false, assertions: [], detail: null }
  const outcome: RunOutcome = { ...times, ...unmeasured, outcome: 'error', failure }
  return toReportedResult(job, outcome, { isCancelled: false, now: times.startedAt })
}

const maxNameChars = 300

/** Undefined: none, or masking has changed what identifies it. */
function storableCertificate(certificate: SeenCertificate | null | undefined): ReportedResult['certificate'] {
  if (!certificate || !/^[0-9a-f]{64}$/.test(certificate.chainSha256)) return undefined
  const validTo = Date.parse(certificate.validTo)
  if (Number.isNaN(validTo) || validTo < 0) return undefined
  return {
    chainSha256: certificate.chainSha256,
    subject: storableText(certificate.subject, maxNameChars),
    issuer: storableText(certificate.issuer, maxNameChars),
    validTo,
  }
}

function statusOrNull(status: number | undefined): number | null {
  return status !== undefined && Number.isInteger(status) && status >= 0 && status <= 999 ? status : null
}

const dayMs = 86_400_000
const maxDays = 100_000

function daysUntil(date: string | undefined, now: number): number | null {
  const days = Math.floor((Date.parse(date ?? '') - now) / dayMs)
  return Number.isNaN(days) ? null : Math.max(-maxDays, Math.min(maxDays, days))
}
