// Who is to be told of what was decided: a notification for each channel. Apart from the decision, and a moment later, since
// ten thousand checks that fail at once would otherwise make the recording of their results wait for it (measured: decision
// 0007). An alert is claimed and its notifications are made in one transaction: none is lost, none made twice.
import { listEpisodeChannels } from '../../storage/alerts/alert-recipients.ts'
import { insertNotifications } from '../../storage/alerts/alert-writes.ts'
import { readCheckFacts } from '../../storage/alerts/check-facts.ts'
import { claimWaitingAlerts, finishWaitingAlerts } from '../../storage/alerts/waiting-alerts.ts'
import type { Client } from '../../storage/core/transaction.ts'
import { notificationOf, readChannels } from './notification-rows.ts'
import { recipientsOf } from './recipients.ts'

/** Returns how many alerts it dealt with: as many as the limit means that there is more to do. */
export async function notifyChannels(client: Client, now: number, limit = 500): Promise<number> {
  const alerts = await claimWaitingAlerts(client, { now, limit })
  if (alerts.length === 0) return 0
  // A check that was deleted meanwhile has nothing to tell.
  const checks = await readCheckFacts(
    client,
    alerts.map(({ checkId }) => checkId),
  )
  const channels = await readChannels(client, [...checks.values()])
  const ends = alerts.flatMap(({ kind, checkId, episodeAt }) =>
    kind === 'recovery' && episodeAt !== null ? [{ checkId, episodeAt }] : [],
  )
  const told = ends.length === 0 ? new Map<string, Set<number>>() : await listEpisodeChannels(client, ends)
  const notifications = alerts.flatMap((alert) =>
    recipientsOf(alert.kind, channels.get(alert.checkId) ?? [], told.get(alert.checkId) ?? nobody).map(
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

const nobody: ReadonlySet<number> = new Set()
