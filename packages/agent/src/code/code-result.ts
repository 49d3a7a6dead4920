// Converts the outcome of a code run, already scrubbed, into a result of the agent protocol. Pure.
import type { Job, ReportedArtifact, ReportedResult } from '@vedette/contracts'
import { metricLayoutVersion } from '@vedette/contracts/runs'
import { roundMs } from '../net/timings.ts'
import { storableFailure, storableText } from '../run/reported-result.ts'
import { detailText } from '../run/run-detail.ts'
import { codeMetrics } from './code-metrics.ts'
import type { CodeOutcome } from './code-runner.ts'

export interface CodeTimes {
  /** By the server's clock. */
  startedAt: number
  durationMs: number
  /** The run was canceled: its outcome says nothing about the check. */
  isCancelled: boolean
}

export function codeResult(
  job: Job,
  outcome: Omit<CodeOutcome, 'release' | 'files' | 'foundSecrets'>,
  artifacts: ReportedArtifact[],
  { startedAt, durationMs, isCancelled }: CodeTimes,
): ReportedResult {
  const { agenticScript } = outcome
  const failure = storableFailure(outcome.failure)
  const responseTimeMs = outcome.responseTimeMs === null ? null : roundMs(Math.max(0, outcome.responseTimeMs))
  return {
    token: job.token,
    startedAt: Math.round(startedAt),
    durationMs: roundMs(Math.max(0, durationMs)),
    responseTimeMs,
    outcome: isCancelled ? 'cancelled' : outcome.outcome,
    overMaxResponseTime: false,
    failure,
    statusCode: null,
    metrics: codeMetrics(job.checkType, outcome, responseTimeMs),
    metricLayout: metricLayoutVersion,
    sslDaysRemaining: daysOf(outcome.sslDaysRemaining),
    detail: detailText(
      { failure, assertions: [], observed: outcome.detail, jobLog: outcome.log },
      job.secrets.length > 0,
    ),
    artifacts,
    agenticScript: agenticScript ? { ...agenticScript, script: storableText(agenticScript.script) } : null,
  }
}

const maxDays = 100_000

function daysOf(days: number | null): number | null {
  return days === null || Number.isNaN(days) ? null : Math.max(-maxDays, Math.min(maxDays, Math.floor(days)))
}
