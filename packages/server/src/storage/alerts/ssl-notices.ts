// Which channels know that a certificate is about to expire.
import type { Client } from '../core/transaction.ts'

/** A certificate that expired is still told as such for a while: see it through. */
const keepMs = 30 * 86_400_000

export interface SslNotice {
  accountId: string
  checkId: string
  channelId: number
  /** When the certificate expires, as it was told. */
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

/** Those of certificates that are long gone are forgotten on the way. */
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
  await client.query({
    name: 'insert_ssl_notices',
    text: `insert into ssl_notices (account_id, check_id, alert_channel_id, expires_at, told_at)
      select account_id, check_id, channel_id, to_timestamp(expires_at / 1000.0), to_timestamp($5 / 1000.0)
      from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::float8[]) as r (account_id, check_id, channel_id, expires_at)
      on conflict do nothing`,
    values: [
      notices.map(({ accountId }) => accountId),
      notices.map(({ checkId }) => checkId),
      notices.map(({ channelId }) => channelId),
      notices.map(({ expiresAt }) => expiresAt),
      now,
    ],
  })
}

/** The address that a check asks, or the host it connects to; null where it has none. */
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
