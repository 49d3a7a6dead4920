import { type AlertNotification, listAlertNotifications, maxNotificationHours } from '@vedette/contracts'
import type { z } from 'zod'
import { listNotifications, type NotificationEntry } from '../../storage/alerts/notification-log.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { windowOf } from '../transport/time-window.ts'

export function alertNotificationRoutes({ store: { db }, vault, clock }: Deps): Mounted[] {
  return [
    handle(listAlertNotifications, async ({ account, query }) => {
      // choice: the wire names no defaults; as for alerts, the longest window that ends now.
      const window = windowOf(query, clock.now(), maxNotificationHours)
      const { items, total } = await listNotifications(db, vault, account.id, { ...query, ...window })
      return { items: items.map(serializeNotification), total }
    }),
  ]
}

type Serialized = z.output<typeof AlertNotification>

function serializeNotification(entry: NotificationEntry): Serialized {
  return {
    id: entry.id,
    type: entry.type,
    status: entry.status,
    alertConfig: entry.config,
    notificationResult: entry.notification_result,
    timestamp: entry.created_at,
    checkType: entry.check_type,
    checkId: entry.lead_check_id ?? entry.check_id,
    checkAlertId: entry.check_alert_id,
    alertChannelId: entry.alert_channel_id,
    // wire: a text, so absent rather than null.
    ...(entry.result_id !== null && { checkResultId: entry.result_id }),
    ...(entry.location_alarm_id !== null && { locationAlarmId: entry.location_alarm_id }),
  }
}
