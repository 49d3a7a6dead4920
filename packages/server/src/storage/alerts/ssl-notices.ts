// Which channels were notified that a certificate is about to expire.
import { columnKinds, currentTime, insertMany } from '../core/insert-many.ts'
import type { Client } from '../core/transaction.ts'

/** Notices are kept for a while after the certificate has expired, since it's still reported. */
const keepMs = 30 * 86_400_000

export interface SslNotice {
  accountId: string
  checkId: string
  channelId: number
  /** When the certificate expires, according to the notice. */
  expiresAt: number
}

export async function listSslNotices(client: Client, checkIds: readonly string[]): Promise<SslNotice[]> {
  const { rows } = await client.query<SslNotice>({
    name: 'list_ssl_notices',
    text: `select account_id as "accountId", check_id as "checkId", alert_channel_id as "channelId",
        (extract(epoch from expires_at) * 1000)::float8 as "expiresAt"
      from ssl_notices where check_id = any($1::uuid[])`,
    values: [checkIds],
  })
  return rows
}

const notice = columnKinds<SslNotice>()

const insertNotices = insertMany(
  'insert_ssl_notices',
  'ssl_notices',
  {
    account_id: notice.uuid((row) => row.accountId),
    check_id: notice.uuid((row) => row.checkId),
    alert_channel_id: notice.integer((row) => row.channelId),
    expires_at: notice.instant((row) => row.expiresAt),
    told_at: currentTime,
  },
  { onConflict: 'do nothing' },
)

/** Also deletes notices of certificates that expired long ago. */
export async function insertSslNotices(
  client: Client,
  notices: readonly SslNotice[],
  now: number,
): Promise<void> {
  await client.query({
    name: 'forget_ssl_notices',
    text: `delete from ssl_notices where check_id = any($1::uuid[]) and expires_at < to_timestamp($2 / 1000.0)`,
    values: [notices.map(({ checkId }) => checkId), now - keepMs],
  })
  await insertNotices(client, notices, now)
}

/** The URL or host of a check; null if it has none. */
export async function listCheckAddresses(
  client: Client,
  checkIds: readonly string[],
): Promise<Map<string, string | null>> {
  const { rows } = await client.query<{ id: string; address: string | null }>({
    name: 'list_check_addresses',
    text: `select id, coalesce(settings ->> 'sslCheckDomain', settings -> 'request' ->> 'url',
        settings -> 'request' ->> 'hostname') as address
      from checks where id = any($1::uuid[])`,
    values: [checkIds],
  })
  return new Map(rows.map(({ id, address }) => [id, address]))
}
