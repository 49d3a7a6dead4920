// Who hears of an alert. Pure: subscriptions in, channels out.
import type { SubscribedChannel } from '../../storage/alerts/alert-recipients.ts'
import type { AlertKind } from '../message/message.ts'

export interface Recipient {
  channelId: number
  type: string
}

/**
 * The channels of a check: a group that enforces its alert settings brings its own subscriptions; otherwise both count,
 * and what the check itself says about a channel wins over its group.
 */
export function channelsOf(
  subscriptions: readonly SubscribedChannel[],
  isEnforced: boolean,
): SubscribedChannel[] {
  const counted = isEnforced ? subscriptions.filter(({ isOwn }) => !isOwn) : subscriptions
  const byChannel = new Map<number, SubscribedChannel>()
  for (const subscription of counted) {
    if (subscription.isOwn || !byChannel.has(subscription.channelId)) {
      byChannel.set(subscription.channelId, subscription)
    }
  }
  return [...byChannel.values()].filter(({ activated }) => activated)
}

/** The end of an episode interests only those who were told of it. */
export function recipientsOf(
  kind: Exclude<AlertKind, 'ssl' | 'unknown' | 'resumed'>,
  channels: readonly SubscribedChannel[],
  told: ReadonlySet<number>,
): Recipient[] {
  return channels.filter((channel) => {
    if (kind === 'failure') return channel.sendFailure
    if (kind === 'degraded') return channel.sendDegraded
    return channel.sendRecovery && told.has(channel.channelId)
  })
}
