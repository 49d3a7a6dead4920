// A finished run after the agent reported it: scheduled, on demand, or the ping of a heartbeat monitor.
import type { Failure, ReportedArtifact, ReportedCertificate } from '@vedette/contracts'
import type { ResultRow } from '../storage/results/result-writes.ts'

/** Its row, before ids and the columns of the failure are derived. */
export interface RunResult
  extends Omit<ResultRow, 'id' | 'failureKind' | 'failureMessage' | 'errorGroupIds'> {
  sslDaysRemaining: number | null
  /** Absent: none. */
  certificate?: ReportedCertificate | undefined
  failure: Pick<Failure, 'kind' | 'message'> | null
  /** JSON text of a RunDetail. */
  detail: string | null
  /** Absent: none. */
  artifacts?: readonly ReportedArtifact[]
  /** How many locations run this slot at once; null: not a parallel run. */
  parallel: number | null
}

/** Two reports with the same key are the same result. */
export function keyOf({ checkId, scheduledAt, runId, attempt }: RunResult): string {
  return `${checkId} ${scheduledAt} ${runId} ${attempt}`
}
