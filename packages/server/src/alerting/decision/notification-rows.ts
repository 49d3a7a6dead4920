// The rows of notifications.
import { randomUUID } from 'node:crypto'
import { listSubscribedChannels, type SubscribedChannel } from '../../storage/alerts/alert-recipients.ts'
import type { NotificationRow } from '../../storage/alerts/alert-writes.ts'
import type { Client } from '../../storage/core/transaction.ts'
import { channelsOf, type Recipient } from './recipients.ts'

type NotifiedAlert = Pick<
  NotificationRow,
  'accountId' | 'checkId' | 'checkType' | 'alertId' | 'resultId' | 'episodeAt' | 'kind'
>

export function notificationOf(
  alert: NotifiedAlert,
  { channelId, type }: Recipient,
  dueAt: number,
  reminder: number | null = null,
): NotificationRow {
  const { accountId, checkId, checkType, alertId, resultId, episodeAt, kind } = alert
  return {
    id: randomUUID(),
    accountId,
    checkId,
    checkType,
    alertId,
    resultId,
    episodeAt,
    kind,
    channelId,
    type,
    isReminder: reminder !== null,
    reminderSequence: reminder ?? 0,
    dueAt,
  }
}

/** The channels that are notified of each check, by check id. */
export async function readChannels(
  client: Client,
  checks: readonly { checkId: string; isEnforced: boolean }[],
): Promise<Map<string, SubscribedChannel[]>> {
  const ids = checks.map(({ checkId }) => checkId)
  const byCheck = Map.groupBy(await listSubscribedChannels(client, ids), ({ checkId }) => checkId)
  return new Map(
    checks.map(({ checkId, isEnforced }) => [checkId, channelsOf(byCheck.get(checkId) ?? [], isEnforced)]),
  )
}
