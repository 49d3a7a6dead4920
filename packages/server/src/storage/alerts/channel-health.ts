// Whether messages reach a channel: marked by what becomes of them, and shown with it.
import type { Client } from '../core/transaction.ts'

export interface ChannelFailure {
  failure: string
  /** It said that it will not take our messages, as it is set up. */
  isRefusing: boolean
  now: number
}

/** Since when stays as it was first marked; what is wrong is what was said last. */
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

/** Writes only where there is a mark: most deliveries go well, and go to channels that are. */
export async function markChannelHealthy(client: Client, channelId: number): Promise<void> {
  await client.query({
    name: 'mark_channel_well',
    text: `
      update alert_channels set failing_since = null, failure = null, is_refusing = false
      where id = $1 and failing_since is not null`,
    values: [channelId],
  })
}
