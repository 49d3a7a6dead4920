// The content of a message, independent of the channel. Failure, recovery, degraded, reminder and test share one shape.
import type { CheckType, RanAt } from '@vedette/contracts'
import type { AlarmFacts } from '../../storage/alerts/alert-writes.ts'

export type AlertKind = 'failure' | 'degraded' | 'recovery' | 'ssl' | 'unknown' | 'resumed'

export interface AlertMessage {
  /** The id of the notification or the test; the same in every attempt. */
  id: string
  /** The same for an alert and its recovery, for tools that open and resolve. */
  dedupKey: string
  kind: AlertKind
  isTest: boolean
  alertType: string
  title: string
  accountId: string
  accountName: string
  checkId: string
  checkName: string
  checkType: CheckType
  checkDescription: string | null
  groupName: string | null
  tags: string[]
  error: string | null
  /** Display name, and the id of the region or private location. */
  runLocation: string
  region: string
  /** The display name of the location, with the agent if it isn't one of the location's own. */
  locationText: string
  ranAt: RanAt | null
  responseTimeMs: number | null
  statusCode: number | null
  statusText: string | null
  resultId: string | null
  resultLink: string
  /** ISO timestamps: start of the run, and begin of the episode. */
  startedAt: string
  episodeAt: string | null
  isReminder: boolean
  reminderSequence: number
  ssl: { daysRemaining: number; domain: string } | null
  /** An automatic root-cause analysis. */
  analysis: MessageAnalysis | null
  /** Set if the message is about checks that no agent runs, instead of an alert of a check. */
  alarm?: AlarmFacts
}

export interface MessageAnalysis {
  classification: string
  rootCause: string
  userImpact: string
  codeFix: string | null
  link: string
}
