// The channels that are subscribed to checks, and those that were already notified of an episode.
import type { Client } from '../core/transaction.ts'

export interface SubscribedChannel {
  checkId: string
  channelId: number
  type: string
  /** By a subscription of the check itself, or of its group. */
  isOwn: boolean
  activated: boolean
  sendFailure: boolean
  sendDegraded: boolean
  sendRecovery: boolean
  sslExpiry: boolean
  sslExpiryThreshold: number
}

export async function listSubscribedChannels(
  client: Client,
  checkIds: readonly string[],
): Promise<SubscribedChannel[]> {
  const fields = `s.activated, ch.id as "channelId", ch.type, ch.send_failure as "sendFailure",
    ch.send_degraded as "sendDegraded", ch.send_recovery as "sendRecovery", ch.ssl_expiry as "sslExpiry",
    ch.ssl_expiry_threshold as "sslExpiryThreshold"`
  const { rows } = await client.query<SubscribedChannel>({
    name: 'list_subscribed_channels',
    text: `
      select s.check_id as "checkId", true as "isOwn", ${fields}
      from alert_channel_subscriptions s
      join alert_channels ch on ch.account_id = s.account_id and ch.id = s.alert_channel_id
      where s.check_id = any($1::uuid[])
      union all
      select c.id as "checkId", false as "isOwn", ${fields}
      from checks c
      join alert_channel_subscriptions s on s.account_id = c.account_id and s.group_id = c.group_id
      join alert_channels ch on ch.account_id = s.account_id and ch.id = s.alert_channel_id
      where c.id = any($1::uuid[])`,
    values: [checkIds],
  })
  return rows
}

export interface EpisodeKey {
  checkId: string
  episodeAt: number
}

/** A failed notification counts if some of its addresses accepted the message. */
const isNotified = `(n.status <> 'FAILURE' or n.accepted <> '{}')`

/** Channels that were notified of the episode, by check id; without those that couldn't be reached. */
export async function listEpisodeChannels(
  client: Client,
  episodes: readonly EpisodeKey[],
): Promise<Map<string, Set<number>>> {
  const { rows } = await client.query<{ checkId: string; channelId: number }>({
    name: 'list_told_channels',
    text: `
      select distinct n.check_id as "checkId", n.alert_channel_id as "channelId"
      from unnest($1::uuid[], $2::float8[]) as e (check_id, episode_at)
      join alert_notifications n on n.check_id = e.check_id and n.episode_at = to_timestamp(e.episode_at / 1000.0)
      where n.kind in ('failure', 'degraded') and ${isNotified}`,
    values: [episodes.map(({ checkId }) => checkId), episodes.map(({ episodeAt }) => episodeAt)],
  })
  return channelsByKey(rows, 'checkId')
}

/** Channels that were sent these alerts, by alert id. */
export async function listAlertedChannels(
  client: Client,
  alerts: readonly { checkId: string; alertId: string }[],
): Promise<Map<string, Set<number>>> {
  const { rows } = await client.query<{ alertId: string; channelId: number }>({
    name: 'list_alerted_channels',
    text: `
      select distinct n.check_alert_id as "alertId", n.alert_channel_id as "channelId"
      from unnest($1::uuid[], $2::uuid[]) as a (check_id, alert_id)
      join alert_notifications n on n.check_id = a.check_id and n.check_alert_id = a.alert_id
      where ${isNotified}`,
    values: [alerts.map(({ checkId }) => checkId), alerts.map(({ alertId }) => alertId)],
  })
  return channelsByKey(rows, 'alertId')
}

function channelsByKey<K extends string>(
  rows: readonly ({ channelId: number } & Record<K, string>)[],
  key: K,
): Map<string, Set<number>> {
  const result = new Map<string, Set<number>>()
  for (const row of rows) {
    const channels = result.get(row[key]) ?? new Set()
    result.set(row[key], channels.add(row.channelId))
  }
  return result
}
