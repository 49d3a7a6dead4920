// A run that is over, as every room after the agent knows it: scheduled, on demand, or a heartbeat's ping.
import type { CheckType, Failure, ReportedArtifact } from '@vedette/contracts'

export interface RunResult {
  accountId: string
  checkId: string
  checkType: CheckType
  runId: string
  attempt: number
  /** The slot; on demand, when it was asked for; a heartbeat's event. Milliseconds by the server's clock. */
  scheduledAt: number
  source: 'schedule' | 'session' | 'heartbeat'
  resultType: 'FINAL' | 'ATTEMPT'
  /** Empty for heartbeats. */
  location: string
  startedAt: number
  stoppedAt: number
  responseTimeMs: number | null
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  isCancelled: boolean
  overMaxResponseTime: boolean
  statusCode: number | null
  /** In the order of `resultMetrics`. */
  metrics: (number | null)[]
  sslDaysRemaining: number | null
  failure: Pick<Failure, 'kind' | 'message'> | null
  /** JSON text of a RunDetail. */
  detail: string | null
  /** Files that it left; absent: none. */
  artifacts?: readonly ReportedArtifact[]
  checkSessionId: string | null
  /** How many locations run this slot at once; null: not a parallel run. */
  parallel: number | null
}

/** What makes a result the same result, however often it is reported. */
export function keyOf({ checkId, scheduledAt, runId, attempt }: RunResult): string {
  return `${checkId} ${scheduledAt} ${runId} ${attempt}`
}
