// What is told of an alert, in no channel's words: failure, recovery, degraded, reminder and test are one shape.
import type { CheckType, RanAt } from '@vedette/contracts'
import type { AlarmFacts } from '../../storage/alerts/alert-writes.ts'

export type AlertKind = 'failure' | 'degraded' | 'recovery' | 'ssl' | 'unknown' | 'resumed'

export interface AlertMessage {
  /** Stable: the same however often it is sent. The id of the notification, or of a test. */
  id: string
  /** What this alert and its recovery have in common, for tools that open and resolve. */
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
  /** The location for people to read, with the agent that ran it where that isn't one of the location's own. */
  locationText: string
  ranAt: RanAt | null
  responseTimeMs: number | null
  statusCode: number | null
  statusText: string | null
  resultId: string | null
  resultLink: string
  /** Of the run, and when the trouble began. ISO. */
  startedAt: string
  episodeAt: string | null
  isReminder: boolean
  reminderSequence: number
  ssl: { daysRemaining: number; domain: string } | null
  /** Of an automatic root-cause analysis. */
  analysis: MessageAnalysis | null
  /** The message is about checks that nobody runs, not about an alert of a check. */
  alarm?: AlarmFacts
}

export interface MessageAnalysis {
  classification: string
  rootCause: string
  userImpact: string
  codeFix: string | null
  link: string
}
