// A run that is over, as every room after the agent knows it: scheduled, on demand, or a heartbeat's ping.
import type { CheckType, Failure, ReportedArtifact } from '@vedette/contracts'
import type { ResultRow } from '../storage/results/result-writes.ts'

/** What its row says, before ids and words for the failure are made of it. */
export interface RunResult
  extends Omit<ResultRow, 'id' | 'failureKind' | 'failureMessage' | 'errorGroupIds'> {
  checkType: CheckType
  source: 'schedule' | 'session' | 'heartbeat'
  resultType: 'FINAL' | 'ATTEMPT'
  sslDaysRemaining: number | null
  failure: Pick<Failure, 'kind' | 'message'> | null
  /** JSON text of a RunDetail. */
  detail: string | null
  /** Files that it left; absent: none. */
  artifacts?: readonly ReportedArtifact[]
  /** How many locations run this slot at once; null: not a parallel run. */
  parallel: number | null
}

/** What makes a result the same result, however often it is reported. */
export function keyOf({ checkId, scheduledAt, runId, attempt }: RunResult): string {
  return `${checkId} ${scheduledAt} ${runId} ${attempt}`
}
