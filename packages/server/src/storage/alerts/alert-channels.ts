import type { Page } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Vault } from '../core/vault.ts'
import { openSecrets, sealSecrets } from './channel-secrets.ts'

/** A channel with its secrets unsealed. */
export type AlertChannel = Selectable<Tables['alert_channels']>

/** Set by delivery, not by users (channel-health.ts). */
type Health = 'failing_since' | 'failure' | 'is_refusing'

export type AlertChannelValues = Omit<
  AlertChannel,
  'id' | 'account_id' | 'created_at' | 'updated_at' | Health
>

const rows = accountRows('alert_channels')

/** In a transaction that is retried after a deadlock: a decision may be inserting a notification of the channel. */
export const { delete: deleteAlertChannel } = rows

export async function listAlertChannels(
  db: Db,
  vault: Vault,
  accountId: string,
  page: PageRequest,
): Promise<Page<AlertChannel>> {
  const all = db.selectFrom('alert_channels').where('account_id', '=', accountId)
  const { items, total } = await pageOf(all.selectAll().orderBy('id'), all.select(countAll), page)
  return { items: items.map((row) => open(vault, row)), total }
}

export async function findAlertChannel(
  db: Db,
  vault: Vault,
  accountId: string,
  id: number,
  options: { lock?: boolean } = {},
): Promise<AlertChannel | null> {
  const row = await db
    .selectFrom('alert_channels')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    // Not "for update": subscribing a check to the channel must not wait.
    .$if(options.lock === true, (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
  return row === undefined ? null : open(vault, row)
}

export async function insertAlertChannel(
  db: Db,
  vault: Vault,
  accountId: string,
  values: AlertChannelValues,
): Promise<AlertChannel> {
  const config = sealConfig(vault, accountId, values)
  return open(vault, await rows.insert(db, { ...values, account_id: accountId, config }))
}

export async function updateAlertChannel(
  db: Db,
  vault: Vault,
  accountId: string,
  id: number,
  values: AlertChannelValues & { updated_at: Date },
): Promise<AlertChannel | null> {
  const config = sealConfig(vault, accountId, values)
  const row = await rows.update(db, accountId, id, { ...values, config })
  return row && open(vault, row)
}

function sealConfig(vault: Vault, accountId: string, { type, config }: AlertChannelValues): string {
  return JSON.stringify(sealSecrets(vault, accountId, type, config))
}

function open(vault: Vault, row: Selectable<Tables['alert_channels']>): AlertChannel {
  return { ...row, config: openSecrets(vault, row.account_id, row.config) }
}

/** The ids that aren't channels of this account. */
export async function listMissingChannels(
  db: Db,
  accountId: string,
  ids: readonly number[],
): Promise<number[]> {
  if (ids.length === 0) return []
  const known = await db
    .selectFrom('alert_channels')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute()
  return ids.filter((id) => !known.some((channel) => channel.id === id))
}
