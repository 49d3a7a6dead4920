// Subscriptions of alert channels. One that was made by hand is taken over.
import { SerialId, Uuid } from '@vedette/contracts'
import { z } from 'zod'
import { deleteSubscriptions, subscribeAll } from '../../storage/checks/subscriptions.ts'
import type { Db } from '../../storage/core/db.ts'
import { type DeployContext, integerId, type NewItem, type ResourceKind, readWith } from './kind.ts'

const Subscription = z
  .object({
    alertChannelId: SerialId,
    checkId: Uuid.optional(),
    groupId: SerialId.optional(),
    activated: z.boolean().default(true),
  })
  .transform(({ alertChannelId, checkId, groupId, activated }, context) => {
    if (checkId !== undefined) return { target: { checkId }, channelId: alertChannelId, activated }
    if (groupId !== undefined) return { target: { groupId }, channelId: alertChannelId, activated }
    context.addIssue({ code: 'custom', message: 'must name either a checkId or a groupId' })
    return z.NEVER
  })

export const subscriptionKind: ResourceKind<z.output<typeof Subscription>> = {
  read: (payload) => readWith(Subscription, payload),
  create: subscribe,
  update: subscribe,
  async remove(tx, { accountId }, items) {
    await deleteSubscriptions(
      tx,
      accountId,
      items.map(({ physicalId }) => integerId(physicalId)),
    )
  },
}

function subscribe(
  tx: Db,
  { accountId }: DeployContext,
  items: readonly NewItem<z.output<typeof Subscription>>[],
): Promise<number[]> {
  return subscribeAll(
    tx,
    accountId,
    items.map(({ input }) => input),
  )
}
