// Inserts a notification of each decided alert for each channel. Separate from the decision, and a moment later: with ten
// thousand checks that fail at once, the recording of results would wait for it (measured: decision 0007). One transaction
// claims an alert and inserts its notifications, so none is lost or inserted twice.
import { listEpisodeChannels } from '../../storage/alerts/alert-recipients.ts'
import { insertNotifications } from '../../storage/alerts/alert-writes.ts'
import { readCheckFacts } from '../../storage/alerts/check-facts.ts'
import { claimWaitingAlerts, finishWaitingAlerts } from '../../storage/alerts/waiting-alerts.ts'
import type { Client } from '../../storage/core/transaction.ts'
import { notificationOf, readChannels } from './notification-rows.ts'
import { recipientsOf } from './recipients.ts'

/** Returns how many alerts were waiting; if that equals the limit, there may be more. */
export async function notifyChannels(client: Client, now: number, limit = 500): Promise<number> {
  const alerts = await claimWaitingAlerts(client, { now, limit })
  if (alerts.length === 0) return 0
  // Deleted checks are missing here, so their alerts get no recipients.
  const checks = await readCheckFacts(
    client,
    alerts.map(({ checkId }) => checkId),
  )
  const channels = await readChannels(client, [...checks.values()])
  const ends = alerts.flatMap(({ kind, checkId, episodeAt }) =>
    kind === 'recovery' && episodeAt !== null ? [{ checkId, episodeAt }] : [],
  )
  const notified =
    ends.length === 0 ? new Map<string, Set<number>>() : await listEpisodeChannels(client, ends)
  const notifications = alerts.flatMap((alert) =>
    recipientsOf(alert.kind, channels.get(alert.checkId) ?? [], notified.get(alert.checkId)).map(
      (recipient) => notificationOf({ ...alert, alertId: alert.id }, recipient, now),
    ),
  )
  await insertNotifications(client, notifications, now)
  await finishWaitingAlerts(
    client,
    alerts.map(({ id, checkId }) => ({ id, checkId, facts: checks.get(checkId)?.facts ?? null })),
  )
  return alerts.length
}
