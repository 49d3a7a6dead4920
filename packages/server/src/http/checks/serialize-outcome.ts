// The response of a trigger URL for one check: only its outcome.
import { triggerWaitSeconds } from '@vedette/contracts'
import type { CheckSessionRow, SessionResultRow } from '../../storage/runs/check-sessions.ts'

export interface TriggerOutcome {
  checkId: string
  hasFailures: boolean
  responseTime?: number
  message?: string
}

type Session = Pick<CheckSessionRow, 'check_id' | 'check_type' | 'status' | 'stopped_at'>
type Result = Pick<SessionResultRow, 'result_type' | 'response_time'>

export function serializeOutcome(session: Session, results: readonly Result[]): TriggerOutcome {
  const { check_id: checkId, check_type, status, stopped_at } = session
  if (stopped_at === null) {
    return {
      checkId,
      hasFailures: true,
      message: `The run did not finish within ${triggerWaitSeconds} seconds; it continues.`,
    }
  }
  const time = results.find(({ result_type }) => result_type === 'FINAL')?.response_time ?? null
  return {
    checkId,
    // Canceled and timed-out runs count as failures.
    hasFailures: status !== 'PASSED' && status !== 'DEGRADED',
    ...(check_type === 'API' && time !== null ? { responseTime: time } : {}),
  }
}
