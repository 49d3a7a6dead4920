import type { CheckSession, CheckSessionResult, CheckSessionStatus } from '@vedette/contracts'
import type { z } from 'zod'
import type { LinkTo } from '../../links/signed-link.ts'
import { ranAtOf } from '../../storage/results/result-reads.ts'
import type { CheckSessionRow, SessionResultRow } from '../../storage/runs/check-sessions.ts'

/** `version`: of the route that serializes the session. */
export interface SessionReader {
  linkTo: LinkTo
  now: number
  version: 1 | 2
}

export function serializeCheckSession(
  row: CheckSessionRow,
  { linkTo, now, version }: SessionReader,
): z.output<typeof CheckSession> {
  const stoppedAt = row.stopped_at === null ? now : Date.parse(row.stopped_at)
  return {
    checkSessionId: row.id,
    checkSessionLink: linkTo('checkSession', row.id),
    checkId: row.check_id,
    checkType: row.check_type,
    name: row.name,
    status: statusIn(version, row.status),
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
    timeElapsed: Math.max(0, stoppedAt - Date.parse(row.started_at)),
    runLocations: row.run_locations,
    runSource: row.run_source,
  }
}

export function serializeSessionResult(
  session: CheckSessionRow,
  row: SessionResultRow,
  { linkTo }: SessionReader,
): z.output<typeof CheckSessionResult> {
  return {
    checkResultId: row.id,
    checkResultLink: linkTo('result', session.check_id, row.id),
    checkId: session.check_id,
    checkType: session.check_type,
    name: session.name,
    runLocation: row.location,
    ranAt: ranAtOf(row),
    resultType: row.result_type,
    hasErrors: row.has_errors,
    hasFailures: row.has_failures,
    isDegraded: row.is_degraded,
    aborted: row.is_cancelled,
    isCancelled: row.is_cancelled,
    responseTime: row.response_time,
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
  }
}

/** choice: version 1 has no canceled sessions: they are shown as timed out. */
function statusIn(version: 1 | 2, status: CheckSessionStatus): CheckSessionStatus {
  return version === 1 && status === 'CANCELLED' ? 'TIMED_OUT' : status
}
