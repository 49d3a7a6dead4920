// A claimed notification as the neutral message that channels render.
import { STATUS_CODES } from 'node:http'
import type { CheckType } from '@vedette/contracts'
import { locationName, locationText } from '../../location-text.ts'
import type { LinkTo } from '../../signed-link.ts'
import type { ClaimedNotification } from '../../storage/notification-queue.ts'
import type { AlertMessage, MessageAnalysis } from './message.ts'
import { alertTitle } from './wording.ts'

export function messageOf(
  notification: ClaimedNotification,
  { linkTo, analysis }: { linkTo: LinkTo; analysis: MessageAnalysis | null },
): AlertMessage {
  const { id, accountId, checkId, kind, alert, isReminder, reminderSequence } = notification
  const { facts, location } = alert
  const ssl = facts.ssl ?? null
  const episodeAt = alert.episodeAt === null ? null : new Date(alert.episodeAt).toISOString()
  return {
    id,
    dedupKey:
      ssl === null ? `vedette-${checkId}-${Date.parse(episodeAt ?? '') || 0}` : `vedette-ssl-${checkId}`,
    kind,
    isTest: false,
    alertType: alert.alertType,
    title: alertTitle({
      kind,
      checkName: alert.name,
      ssl,
      isReminder,
      isTest: false,
      alertType: alert.alertType,
    }),
    accountId,
    accountName: facts.accountName,
    checkId,
    checkName: alert.name,
    checkType: notification.checkType as CheckType,
    checkDescription: facts.description,
    groupName: facts.groupName,
    tags: facts.tags,
    error: alert.error,
    runLocation: locationName(location),
    locationText: locationText(location, alert.ranAt),
    ranAt: alert.ranAt,
    region: location,
    responseTimeMs: alert.responseTimeMs,
    statusCode: alert.statusCode,
    statusText: alert.statusCode === null ? null : (STATUS_CODES[alert.statusCode] ?? null),
    resultId: alert.resultId,
    resultLink:
      alert.resultId === null ? linkTo('check', checkId) : linkTo('result', checkId, alert.resultId),
    startedAt: new Date(alert.startedAt).toISOString(),
    episodeAt,
    isReminder,
    reminderSequence,
    ssl,
    analysis,
  }
}
