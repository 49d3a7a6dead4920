// A claimed notification as the neutral message that channels render.
import { STATUS_CODES } from 'node:http'
import type { CheckType } from '@vedette/contracts'
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

/** Of variables that are about one check, the first of them stands for all. */
function alarmMessageOf(
  { id, accountId, checkId: alarmId, checkType, kind, alert }: ClaimedNotification,
  alarm: AlarmFacts,
  linkTo: LinkTo,
): AlertMessage {
  const { checkCount, checks, leadCheckId, locations } = alarm
  const isOver = kind === 'resumed'
  const nothing = {
    ...{ isTest: false, isReminder: false, reminderSequence: 0, ssl: null, analysis: null },
    ...{ checkDescription: null, groupName: null, tags: [], ranAt: null, resultId: null },
    ...{ responseTimeMs: null, statusCode: null, statusText: null },
  }
  return {
    ...nothing,
    ...{ id, accountId, kind, alarm, dedupKey: `vedette-alarm-${alarmId}`, alertType: alert.alertType },
    title: alarmTitle(alarm, isOver),
    accountName: alert.facts.accountName,
    checkId: leadCheckId,
    checkName: checkCount === 1 ? (checks[0] ?? '') : `${checkCount} checks`,
    checkType: checkType as CheckType,
    error: isOver ? null : checks.join('\n'),
    runLocation: locations.join(', '),
    region: locations.join(', '),
    locationText: locations.join(', '),
    resultLink: linkTo('check', leadCheckId),
    startedAt: new Date(alert.startedAt).toISOString(),
    episodeAt: new Date(alarm.openedAt).toISOString(),
  }
}
