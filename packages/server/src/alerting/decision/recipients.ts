// Selects the channels of an alert from subscriptions. Pure.
import type { SubscribedChannel } from '../../storage/alerts/alert-recipients.ts'
import type { AlertKind } from '../message/message.ts'

export interface Recipient {
  channelId: number
  type: string
}

/**
 * The active channels of a check. If its group enforces its alert settings, only subscriptions of the group count; otherwise
 * those of the check override those of the group.
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

/** `notified`: channels that were sent an alert of the episode. Only these get its recovery. */
export function recipientsOf(
  kind: Exclude<AlertKind, 'ssl' | 'unknown' | 'resumed'>,
  channels: readonly SubscribedChannel[],
  notified?: ReadonlySet<number>,
): Recipient[] {
  return channels.filter((channel) => {
    if (kind === 'failure') return channel.sendFailure
    if (kind === 'degraded') return channel.sendDegraded
    return channel.sendRecovery && notified?.has(channel.channelId) === true
  })
}
