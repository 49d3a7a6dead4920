// A group as callers see it: secrets never, locked values only for who may change the group.
import { type CheckGroup, roleAllows, secretMask } from '@vedette/contracts'
import type { z } from 'zod'
import { listGroupsById, type StoredGroup } from '../../storage/checks/check-groups.ts'
import { listSubscriptions } from '../../storage/checks/subscriptions.ts'
import type { Db } from '../../storage/core/db.ts'
import type { Vault } from '../../storage/core/vault.ts'
import type { Acting } from '../transport/acting.ts'

export type PresentedGroup = z.output<typeof CheckGroup>

export async function presentGroups(
  db: Db,
  account: Acting,
  groups: StoredGroup[],
): Promise<PresentedGroup[]> {
  const subscriptions = await listSubscriptions(db, account.id, { groupIds: groups.map(({ id }) => id) })
  const byGroup = Map.groupBy(subscriptions, (subscription) => subscription.group_id)
  const mayOpen = roleAllows(account.role, 'READ_WRITE')
  return groups.map((group) => ({
    ...(mayOpen ? group : maskLocked(group)),
    environmentVariables: presentVariables(group, mayOpen),
    alertSettings: group.alertSettings ?? undefined,
    alertChannelSubscriptions: (byGroup.get(group.id) ?? []).map(({ alert_channel_id, activated }) => ({
      alertChannelId: alert_channel_id,
      activated,
    })),
  }))
}

export async function presentGroup(db: Db, account: Acting, group: StoredGroup): Promise<PresentedGroup> {
  const [presented] = await presentGroups(db, account, [group])
  return presented as PresentedGroup
}

/** The groups that a page of checks needs for its effective settings. */
export async function loadGroups(
  db: Db,
  vault: Vault,
  account: Acting,
  ids: number[],
): Promise<Map<number, PresentedGroup>> {
  const groups = await listGroupsById(db, vault, account.id, [...new Set(ids)])
  return new Map((await presentGroups(db, account, groups)).map((group) => [group.id, group]))
}

function presentVariables(group: StoredGroup, mayOpen: boolean): PresentedGroup['environmentVariables'] {
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
