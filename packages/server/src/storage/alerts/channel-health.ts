// The health of a channel: set by the outcome of deliveries, and part of its API.
import type { Client } from '../core/transaction.ts'

export interface ChannelFailure {
  failure: string
  /** It refuses messages permanently. */
  isRefusing: boolean
  now: number
}

/** Keeps the time of the first failure, and the text of the last one. */
export async function markChannelFailing(
  client: Client,
  channelId: number,
  { failure, isRefusing, now }: ChannelFailure,
): Promise<void> {
  await client.query({
    name: 'mark_channel_failing',
    text: `
      update alert_channels set failing_since = coalesce(failing_since, to_timestamp($2 / 1000.0)), failure = $3, is_refusing = $4
      where id = $1 and (failing_since is null or failure is distinct from $3 or is_refusing <> $4)`,
    values: [channelId, now, failure, isRefusing],
  })
}

/** Writes only if the channel was failing: most deliveries succeed. */
export async function markChannelHealthy(client: Client, channelId: number): Promise<void> {
  await client.query({
    name: 'mark_channel_well',
    text: `
      update alert_channels set failing_since = null, failure = null, is_refusing = false
      where id = $1 and failing_since is not null`,
    values: [channelId],
  })
}
