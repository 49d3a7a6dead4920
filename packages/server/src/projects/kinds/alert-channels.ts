import { AlertChannelInput } from '@vedette/contracts'
import type { z } from 'zod'
import { createChannel, replaceChannel } from '../../alerts/change-channels.ts'
import { deleteAlertChannel } from '../../storage/alerts/alert-channels.ts'
import { each, integerId, type ResourceKind, readWith } from './kind.ts'

export const alertChannelKind: ResourceKind<z.output<typeof AlertChannelInput>> = {
  read: (payload) => readWith(AlertChannelInput, payload),
  create(tx, context, items) {
    return each(items, async ({ input }) => (await createChannel(tx, context, input)).id)
  },
  async update(tx, context, items) {
    const now = context.clock.now()
    await each(items, ({ input, physicalId }) =>
      // Subscriptions are resources of their own.
      replaceChannel(tx, context, integerId(physicalId), { ...input, subscriptions: undefined }, now),
    )
    return undefined
  },
  async remove(tx, { accountId }, items) {
    await each(items, ({ physicalId }) => deleteAlertChannel(tx, accountId, integerId(physicalId)))
  },
}
