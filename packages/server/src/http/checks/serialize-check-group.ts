// Serializes groups: without secrets, and with locked values only for callers that may change the group.
import { type CheckGroup, roleAllows, secretMask } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { listGroupsById, type StoredGroup } from '../../storage/checks/check-groups.ts'
import { listSubscriptions } from '../../storage/checks/subscriptions.ts'
import type { Db } from '../../storage/core/db.ts'
import type { Vault } from '../../storage/core/vault.ts'
import { readProjectFields } from '../../storage/projects/owners.ts'
import type { AccountContext } from '../transport/account-context.ts'

export type SerializedGroup = z.output<typeof CheckGroup>

export async function serializeGroups(
  db: Db,
  account: AccountContext,
  groups: StoredGroup[],
): Promise<SerializedGroup[]> {
  const subscriptions = await listSubscriptions(db, account.id, { groupIds: groups.map(({ id }) => id) })
  const byGroup = Map.groupBy(subscriptions, (subscription) => subscription.group_id)
  const mayOpen = roleAllows(account.role, 'READ_WRITE')
  const ids = groups.map(({ id }) => id)
  const bound = await readProjectFields(db, account.id, 'check-group', ids)
  return groups.map((group) => ({
    ...(mayOpen ? group : maskLocked(group)),
    environmentVariables: serializeVariables(group, mayOpen),
    alertSettings: group.alertSettings ?? undefined,
    alertChannelSubscriptions: (byGroup.get(group.id) ?? []).map(({ alert_channel_id, activated }) => ({
      alertChannelId: alert_channel_id,
      activated,
    })),
    ...bound.get(String(group.id)),
  }))
}

export async function serializeGroup(
  db: Db,
  account: AccountContext,
  group: StoredGroup,
): Promise<SerializedGroup> {
  const [serialized] = await serializeGroups(db, account, [group])
  return orNotFound(serialized)
}

/** Groups by id, for the effective settings of their checks. */
export async function loadGroups(
  db: Db,
  vault: Vault,
  account: AccountContext,
  ids: number[],
): Promise<Map<number, SerializedGroup>> {
  const groups = await listGroupsById(db, vault, account.id, [...new Set(ids)])
  return new Map((await serializeGroups(db, account, groups)).map((group) => [group.id, group]))
}

function serializeVariables(group: StoredGroup, mayOpen: boolean): SerializedGroup['environmentVariables'] {
  if (group.environmentVariables === null) return null
  return group.environmentVariables.map(({ value = null, ...entry }) => {
    if (entry.secret) return { ...entry, value: null }
    return { ...entry, value: entry.locked && !mayOpen ? secretMask : value }
  })
}

function maskLocked(group: StoredGroup): StoredGroup {
  const { headers, queryParameters, basicAuth, ...defaults } = group.apiCheckDefaults
  const mask = <T extends { value: string; locked: boolean }>(entry: T) =>
    entry.locked ? { ...entry, value: secretMask } : entry
  return {
    ...group,
    apiCheckDefaults: {
      ...defaults,
      headers: headers.map(mask),
      queryParameters: queryParameters.map(mask),
      basicAuth: basicAuth === null ? null : { ...basicAuth, password: basicAuth.password && secretMask },
    },
  }
}
