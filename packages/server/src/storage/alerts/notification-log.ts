// The log of notifications.
import type { Page } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { countAll, type Db, type PageRequest, type Pool, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Vault } from '../core/vault.ts'
import { type ChannelConfig, maskSecrets, openSecrets } from './channel-secrets.ts'

export type NotificationEntry = Pick<
  Selectable<Tables['alert_notifications']>,
  | 'id'
  | 'type'
  | 'status'
  | 'notification_result'
  | 'created_at'
  | 'check_type'
  | 'check_id'
  | 'check_alert_id'
  | 'alert_channel_id'
  | 'result_id'
  | 'location_alarm_id'
  | 'lead_check_id'
> & {
  /** Masked. Empty if the channel was deleted. */
  config: ChannelConfig
}

/** Milliseconds; `to` is exclusive. */
export interface NotificationFilter extends PageRequest {
  from: number
  to: number
  alertChannelId?: number | undefined
  hasFailures?: boolean | undefined
}

/** The latest first. The log doesn't contain notices of expiring certificates (spec). */
export async function listNotifications(
  db: Db,
  vault: Vault,
  accountId: string,
  { from, to, alertChannelId, hasFailures, ...page }: NotificationFilter,
): Promise<Page<NotificationEntry>> {
  let all = db
    .selectFrom('alert_notifications as n')
    .where('n.account_id', '=', accountId)
    .where('n.created_at', '>=', new Date(from).toISOString())
    .where('n.created_at', '<', new Date(to).toISOString())
    .where('n.kind', '<>', 'ssl')
  if (alertChannelId !== undefined) all = all.where('n.alert_channel_id', '=', alertChannelId)
  if (hasFailures !== undefined) all = all.where('n.status', hasFailures ? '=' : '<>', 'FAILURE')
  const rows = all
    .leftJoin('alert_channels as c', (join) =>
      join.onRef('c.account_id', '=', 'n.account_id').onRef('c.id', '=', 'n.alert_channel_id'),
    )
    .select(['n.id', 'n.type', 'n.status', 'n.notification_result', 'n.created_at', 'n.check_type'])
    .select(['n.check_id', 'n.check_alert_id', 'n.alert_channel_id', 'n.result_id'])
    .select(['n.location_alarm_id', 'n.lead_check_id'])
    .select(['c.type as channel_type', 'c.config as channel_config'])
    .orderBy('n.created_at', 'desc')
    .orderBy('n.id')
  const { items, total } = await pageOf(rows, all.select(countAll), page)
  return {
    items: items.map(({ channel_type: type, channel_config: config, ...row }) => ({
      ...row,
      config:
        type === null || config === null ? {} : maskSecrets(type, openSecrets(vault, accountId, config)),
    })),
    total,
  }
}

/** Undelivered notifications of all accounts. */
export async function countWaitingNotifications(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ total: number }>(
    'select count(*) as total from alert_notifications where due_at is not null',
  )
  return rows[0]?.total ?? 0
}
