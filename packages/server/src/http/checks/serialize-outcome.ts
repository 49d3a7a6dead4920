// What the caller of a trigger URL is told of one check: the outcome, and no more.
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
      message: `The run was not over within ${triggerWaitSeconds} seconds; it goes on.`,
    }
  }
  const time = results.find(({ result_type }) => result_type === 'FINAL')?.response_time ?? null
  return {
    checkId,
    // Cancelled and timed-out runs have not passed either.
    hasFailures: status !== 'PASSED' && status !== 'DEGRADED',
    ...(check_type === 'API' && time !== null ? { responseTime: time } : {}),
  }
}
