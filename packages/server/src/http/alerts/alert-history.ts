import {
  type AlertDelivery,
  type AlertHistoryEntry,
  alertHeldReasons,
  listAlertDeliveries,
  listAlertHistory,
} from '@vedette/contracts'
import type { z } from 'zod'
import {
  type DeliveryRow,
  type HistoryFilter,
  type HistoryRow,
  listDeliveries,
  listHistory,
} from '../../storage/alerts/alert-history.ts'
import { readCursor, writeCursor } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function alertHistoryRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listAlertHistory, async ({ account, query }) => {
      const { entries, next } = await listHistory(db, account.id, inMs(query), readCursor(query))
      return { entries: entries.map(serializeEntry), nextId: next && writeCursor(next) }
    }),
    handle(listAlertDeliveries, async ({ account, query }) => {
      const { entries, next } = await listDeliveries(db, account.id, inMs(query), readCursor(query))
      return {
        entries: entries.map((row) => ({
          ...serializeDelivery(row),
          checkId: row.lead_check_id ?? row.check_id,
          checkName: row.check_name,
          checkResultId: row.result_id,
          locationAlarmId: row.location_alarm_id,
        })),
        nextId: next && writeCursor(next),
      }
    }),
  ]
}

function inMs(query: HistoryFilter): HistoryFilter {
  const { from, to, ...rest } = query
  const toMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000)
  return { ...rest, from: toMs(from), to: toMs(to) }
}

function serializeEntry(row: HistoryRow & { deliveries: DeliveryRow[] }): z.output<typeof AlertHistoryEntry> {
  return {
    id: row.id,
    checkId: row.check_id,
    name: row.name,
    checkType: row.check_type,
    alertType: row.alert_type,
    heldBy: alertHeldReasons.find((reason) => reason === row.held_by) ?? null,
    checkResultId: row.result_id,
    runLocation: row.run_location,
    ranAt: row.ran_at,
    error: row.error,
    created_at: row.created_at,
    startedAt: row.started_at,
    episodeAt: row.episode_at,
    deliveries: row.deliveries.map(serializeDelivery),
    isPending: row.notify_at !== null,
  }
}

const kinds = ['failure', 'degraded', 'recovery', 'ssl', 'unknown', 'resumed'] as const

function serializeDelivery(row: DeliveryRow): z.output<typeof AlertDelivery> {
  return {
    id: row.id,
    alertChannelId: row.alert_channel_id,
    channelType: row.type,
    kind: kinds.find((kind) => kind === row.kind) ?? 'failure',
    status: row.status,
    isReminder: row.is_reminder,
    attempts: row.attempts,
    triedAt: row.tried_at,
    nextAttemptAt: row.due_at,
    response: row.notification_result,
    created_at: row.created_at,
  }
}
