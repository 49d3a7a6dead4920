import {
  type CheckResult,
  type CheckType,
  failureKinds,
  nameMetrics,
  responseTimeMetrics,
} from '@vedette/contracts'
import type { z } from 'zod'
import { round } from '../../analytics/summary.ts'
import { type ResultRow, ranAtOf } from '../../storage/results/result-reads.ts'
import { type ResultDetail, readDetail } from './result-detail.ts'
import type { ResultFile } from './serialize-code-result.ts'
import { serializeEvidence } from './serialize-evidence.ts'

type Serialized = z.output<typeof CheckResult>

/** `files`: null in lists. */
export function serializeResult(
  row: ResultRow,
  name: string,
  files: readonly ResultFile[] | null = null,
): Serialized {
  const type = row.check_type
  const detail = readDetail(row.detail)
  // choice: the wire doesn't allow null here, so a run that never completed gets its duration.
  const responseTime =
    row.response_time ?? Math.max(0, Date.parse(row.stopped_at) - Date.parse(row.started_at))
  return {
    id: row.id,
    name,
    checkId: row.check_id,
    checkType: type,
    hasFailures: row.has_failures,
    hasErrors: row.has_errors,
    isDegraded: row.is_degraded,
    isCancelled: row.is_cancelled,
    overMaxResponseTime: row.over_max_response_time,
    runLocation: row.location,
    ranAt: ranAtOf(row),
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
    scheduledAt: row.scheduled_at,
    created_at: row.created_at,
    responseTime,
    statusCode: row.status_code,
    metrics: serializeMetrics(type, row.metrics, responseTime),
    failure: serializeFailure(row, detail),
    ...serializeEvidence(type, detail, files),
    diagnostics: detail?.diagnostics ?? null,
    checkRunId: Date.parse(row.scheduled_at),
    attempts: row.attempt,
    resultType: row.result_type,
    sequenceId: row.run_id,
    traceId: null,
    errorGroupIds: row.error_group_ids ?? [],
  }
}

function serializeFailure(row: ResultRow, detail: ResultDetail | null): Serialized['failure'] {
  if (detail?.failure) {
    const { kind, message, phase, address = null, code = null } = detail.failure
    return { kind, message, phase, address, code }
  }
  const kind = failureKinds.find((known) => known === row.failure_kind)
  if (kind === undefined) return null
  return { kind, message: row.failure_message ?? '', phase: null, address: null, code: null }
}

/** The metric of the response time equals the field, also for runs that never completed. */
function serializeMetrics(
  type: CheckType,
  stored: readonly (number | null)[],
  responseTime: number,
): Record<string, number | null> {
  const named = Object.entries(nameMetrics(type, stored)).map(([name, value]) => [
    name,
    name === responseTimeMetrics[type] ? responseTime : value === null ? null : round(value),
  ])
  return Object.fromEntries(named)
}
