import { type CheckGroupValues, createCheckGroup, createCheckGroupV2 } from '@vedette/contracts'
import { createGroup, updateGroup } from '../../checks/change-groups.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import { deleteGroup, findGroup } from '../../storage/checks/check-groups.ts'
import { withRetries } from '../payloads/check-payload.ts'
import { joinLocations } from './join-locations.ts'
import { each, integerId, type ResourceKind, readWith } from './kind.ts'

export const checkGroupKind: ResourceKind<CheckGroupValues> = {
  read(payload) {
    const route = payload.v === 2 ? createCheckGroupV2 : createCheckGroup
    return readWith(orNotFound(route.body), withRetries(payload))
  },
  create(tx, context, items) {
    return each(items, async ({ input }) => {
      const { id } = await createGroup(tx, context, input, { autoAssignAlerts: false })
      return id
    })
  },
  async update(tx, context, items) {
    await each(items, async ({ input, physicalId, assignedBefore }) => {
      const { accountId, vault } = context
      const stored = orNotFound(await findGroup(tx, vault, accountId, integerId(physicalId)))
      const { alertChannelSubscriptions: _, ...values } = input
      const privateLocations = joinLocations(stored.privateLocations, assignedBefore, input.privateLocations)
      await updateGroup(tx, context, stored.id, { ...values, privateLocations })
    })
    return undefined
  },
  async remove(tx, { accountId }, items) {
    await each(items, ({ physicalId }) => deleteGroup(tx, accountId, integerId(physicalId)))
  },
}
