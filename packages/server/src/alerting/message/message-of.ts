// Builds the channel-independent message of a claimed notification.
import { STATUS_CODES } from 'node:http'
import { locationName, locationText } from '../../core/location-text.ts'
import type { LinkTo } from '../../links/signed-link.ts'
import type { AlarmFacts } from '../../storage/alerts/alert-writes.ts'
import type { ClaimedNotification } from '../../storage/alerts/notification-queue.ts'
import { alarmTitle } from './alarm-wording.ts'
import type { AlertMessage, MessageAnalysis } from './message.ts'
import { alertTitle } from './wording.ts'

export function messageOf(
  notification: ClaimedNotification,
  { linkTo, analysis }: { linkTo: LinkTo; analysis: MessageAnalysis | null },
): AlertMessage {
  const { id, accountId, checkId, kind, alert, isReminder, reminderSequence } = notification
  if (alert.facts.alarm !== undefined) return alarmMessageOf(notification, alert.facts.alarm, linkTo)
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
    checkType: notification.checkType,
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

/** Fields about a single check refer to the first check of the alarm. */
function alarmMessageOf(
  { id, accountId, checkId: alarmId, checkType, kind, alert }: ClaimedNotification,
  alarm: AlarmFacts,
  linkTo: LinkTo,
): AlertMessage {
  const { checkCount, checks, leadCheckId, locations } = alarm
  const isOver = kind === 'resumed'
  return {
    id,
    dedupKey: `vedette-alarm-${alarmId}`,
    kind,
    alarm,
    isTest: false,
    alertType: alert.alertType,
    title: alarmTitle(alarm, isOver),
    accountId,
    accountName: alert.facts.accountName,
    checkId: leadCheckId,
    checkName: checkCount === 1 ? (checks[0] ?? '') : `${checkCount} checks`,
    checkType,
    checkDescription: null,
    groupName: null,
    tags: [],
    error: isOver ? null : checks.join('\n'),
    runLocation: locations.join(', '),
    region: locations.join(', '),
    locationText: locations.join(', '),
    ranAt: null,
    responseTimeMs: null,
    statusCode: null,
    statusText: null,
    resultId: null,
    resultLink: linkTo('check', leadCheckId),
    startedAt: new Date(alert.startedAt).toISOString(),
    episodeAt: new Date(alarm.openedAt).toISOString(),
    isReminder: false,
    reminderSequence: 0,
    ssl: null,
    analysis: null,
  }
}
