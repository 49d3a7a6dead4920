import { type CheckType, type CheckValues, definitionOf, keysOf } from '@vedette/contracts'
import { z } from 'zod'
import { createChecks, deleteChecks, updateChecks } from '../../checks/change-checks.ts'
import { listCheckPlacements } from '../../storage/checks/checks.ts'
import { readCheckPayload } from '../payloads/check-payload.ts'
import { joinLocations } from './join-locations.ts'
import type { ResourceKind } from './kind.ts'

interface CheckInput {
  type: CheckType
  values: CheckValues
}

export const checkKind: ResourceKind<CheckInput> = {
  read(payload, sharedFiles) {
    const read = readCheckPayload(payload, sharedFiles)
    return 'issues' in read ? read : { input: read }
  },
  async create(tx, context, items) {
    const created = await createChecks(
      tx,
      context,
      // Subscriptions are resources of their own.
      items.map(({ label, input }) => ({ ...input, at: [label], autoAssignAlerts: false })),
    )
    return created.map(({ id }) => id)
  },
  async update(tx, context, items) {
    const ids = items.map(({ physicalId }) => String(physicalId))
    const placed = await listCheckPlacements(tx, context.accountId, ids)
    await updateChecks(
      tx,
      context,
      items.map(({ label, input, physicalId, assignedBefore }) => ({
        id: String(physicalId),
        at: [label],
        read: () => {
          const stored = placed.get(String(physicalId))?.privateLocations
          return replacementOf(input, joinLocations(stored, assignedBefore, input.values.privateLocations))
        },
      })),
    )
    return undefined
  },
  async remove(tx, { accountId }, items) {
    await deleteChecks(
      tx,
      accountId,
      items.map(({ physicalId }) => String(physicalId)),
    )
  },
  async listReplaced(tx, accountId, items) {
    const ids = items.map(({ physicalId }) => String(physicalId))
    const stored = await listCheckPlacements(tx, accountId, ids)
    return items
      .filter(({ physicalId, payload }) => stored.get(String(physicalId))?.checkType !== payload.checkType)
      .map(({ physicalId }) => physicalId)
  },
}

/** A mute until some time belongs to people; subscriptions are resources of their own. */
const kept = new Set(['mutedUntil', 'alertChannelSubscriptions'])

const resets = new Map<CheckType, CheckValues>()

/** The fields without a default that can be null. */
function resetOf(type: CheckType): CheckValues {
  const known = resets.get(type)
  if (known !== undefined) return known
  const { shape } = definitionOf(type).input
  const names = keysOf(shape).filter((name) => {
    const field = shape[name]
    if (kept.has(name) || !(field instanceof z.ZodType)) return false
    return field.safeParse(undefined).data === undefined && field.safeParse(null).success
  })
  const reset = Object.fromEntries(names.map((name) => [name, null]))
  resets.set(type, reset)
  return reset
}

function replacementOf({ type, values }: CheckInput, privateLocations: string[]): CheckValues {
  const replaced: Record<string, unknown> = { ...resetOf(type), ...values }
  if ('privateLocations' in definitionOf(type).input.shape) replaced.privateLocations = privateLocations
  return replaced
}
