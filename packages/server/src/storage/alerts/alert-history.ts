// Alerts with their deliveries, newest first.
import type { NotificationStatus } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { type Cursor, type CursorRequest, isAfter, newestFirst } from '../core/cursor.ts'
import type { Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export interface HistoryFilter {
  checkId?: string | undefined
  alertChannelId?: number | undefined
  status?: NotificationStatus | undefined
  kind?: string | undefined
  heldBy?: string | undefined
  /** Milliseconds; `to` is exclusive. */
  from?: number | undefined
  to?: number | undefined
}

export type DeliveryRow = Pick<
  Selectable<Tables['alert_notifications']>,
  | 'id'
  | 'check_id'
  | 'check_alert_id'
  | 'alert_channel_id'
  | 'type'
  | 'kind'
  | 'status'
  | 'is_reminder'
  | 'attempts'
  | 'tried_at'
  | 'due_at'
  | 'notification_result'
  | 'result_id'
  | 'location_alarm_id'
  | 'lead_check_id'
  | 'created_at'
>

export type HistoryRow = Pick<
  Selectable<Tables['check_alerts']>,
  | 'id'
  | 'check_id'
  | 'name'
  | 'check_type'
  | 'alert_type'
  | 'held_by'
  | 'result_id'
  | 'run_location'
  | 'ran_at'
  | 'error'
  | 'created_at'
  | 'started_at'
  | 'episode_at'
  | 'notify_at'
>

export interface HistoryPage<T> {
  entries: T[]
  next: Cursor | null
}

export async function listHistory(
  db: Db,
  accountId: string,
  { checkId, alertChannelId, status, kind, heldBy, from, to }: HistoryFilter,
  request: CursorRequest,
): Promise<HistoryPage<HistoryRow & { deliveries: DeliveryRow[] }>> {
  let all = db
    .selectFrom('check_alerts')
    .where('account_id', '=', accountId)
    .where(isAfter(request))
    .$if(checkId !== undefined, (rows) => rows.where('check_id', '=', checkId ?? ''))
    .$if(from !== undefined, (rows) => rows.where('created_at', '>=', new Date(from ?? 0).toISOString()))
    .$if(to !== undefined, (rows) => rows.where('created_at', '<', new Date(to ?? 0).toISOString()))
    .$if(heldBy !== undefined, (rows) => rows.where('held_by', '=', heldBy ?? ''))
  if (kind === 'held') all = all.where('kind', 'is', null)
  else if (kind !== undefined) all = all.where('kind', '=', kind)
  if (alertChannelId !== undefined || status !== undefined) {
    const ofChannel = alertChannelId === undefined ? sql`` : sql`and n.alert_channel_id = ${alertChannelId}`
    const withStatus = status === undefined ? sql`` : sql`and n.status = ${status}`
    all = all.where(sql<boolean>`exists (
      select from alert_notifications n where n.check_id = check_alerts.check_id
        and n.check_alert_id = check_alerts.id ${ofChannel} ${withStatus})`)
  }
  const rows = await all
    .select(['id', 'check_id', 'name', 'check_type', 'alert_type', 'held_by', 'result_id', 'run_location'])
    .select(['ran_at', 'error', 'created_at', 'started_at', 'episode_at', 'notify_at'])
    .orderBy(newestFirst)
    .limit(request.limit + 1)
    .execute()
  const { entries, next } = pageOfRows(rows, request)
  const deliveries = await deliveriesOf(db, accountId, entries)
  return { entries: entries.map((row) => ({ ...row, deliveries: deliveries.get(row.id) ?? [] })), next }
}

const deliveryColumns = [
  ...(['id', 'check_id', 'check_alert_id', 'alert_channel_id', 'type', 'kind', 'status'] as const),
  ...(['is_reminder', 'attempts', 'tried_at', 'due_at', 'notification_result', 'result_id'] as const),
  ...(['location_alarm_id', 'lead_check_id', 'created_at'] as const),
]

/** By alert id, in the order in which they were decided. */
async function deliveriesOf(
  db: Db,
  accountId: string,
  alerts: readonly HistoryRow[],
): Promise<Map<string, DeliveryRow[]>> {
  if (alerts.length === 0) return new Map()
  const rows = await db
    .selectFrom('alert_notifications')
    .select(deliveryColumns)
    .where('account_id', '=', accountId)
    .where('check_id', 'in', [...new Set(alerts.map(({ check_id }) => check_id))])
    .where(
      'check_alert_id',
      'in',
      alerts.map(({ id }) => id),
    )
    .orderBy('created_at')
    .orderBy('place')
    .execute()
  return Map.groupBy(rows, ({ check_alert_id }) => check_alert_id)
}

export async function listDeliveries(
  db: Db,
  accountId: string,
  { checkId, alertChannelId, status, kind, from, to }: Omit<HistoryFilter, 'heldBy'>,
  request: CursorRequest,
): Promise<HistoryPage<DeliveryRow & { check_name: string | null }>> {
  const rows = await db
    .selectFrom('alert_notifications')
    .select(deliveryColumns)
    .select(
      sql<string | null>`(select c.name from checks c where c.account_id = alert_notifications.account_id
        and c.id = coalesce(alert_notifications.lead_check_id, alert_notifications.check_id))`.as(
        'check_name',
      ),
    )
    .where('account_id', '=', accountId)
    .where(isAfter(request))
    .$if(checkId !== undefined, (all) => all.where('check_id', '=', checkId ?? ''))
    .$if(alertChannelId !== undefined, (all) => all.where('alert_channel_id', '=', alertChannelId ?? 0))
    .$if(status !== undefined, (all) => all.where('status', '=', status ?? 'SUCCESS'))
    .$if(kind !== undefined, (all) => all.where('kind', '=', kind ?? ''))
    .$if(from !== undefined, (all) => all.where('created_at', '>=', new Date(from ?? 0).toISOString()))
    .$if(to !== undefined, (all) => all.where('created_at', '<', new Date(to ?? 0).toISOString()))
    .orderBy(newestFirst)
    .limit(request.limit + 1)
    .execute()
  return pageOfRows(rows, request)
}

function pageOfRows<T extends { created_at: string; id: string }>(
  rows: T[],
  { limit }: CursorRequest,
): HistoryPage<T> {
  const entries = rows.slice(0, limit)
  const last = entries.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { entries, next: hasMore ? { createdAt: last.created_at, id: last.id } : null }
}
