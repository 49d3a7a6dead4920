// Creates and updates check groups, in the transaction of the caller.
import {
  ApiError,
  type BodyOf,
  type CheckGroupValues,
  checkGroupIssues,
  type FieldIssue,
  invalidInput,
  type updateCheckGroup,
  type updateCheckGroupV2,
} from '@vedette/contracts'
import { requireQuota } from '../accounts/entitlements.ts'
import * as groups from '../storage/checks/check-groups.ts'
import { listMissingReferences } from '../storage/checks/references.ts'
import { replaceSubscriptions, subscribeNew } from '../storage/checks/subscriptions.ts'
import type { Db } from '../storage/core/db.ts'
import { type ChangeContext, muteIssues } from './change-checks.ts'
import { groupExpressionIssues } from './expression-issues.ts'
import { rescheduleGroup } from './reschedule.ts'
import { nextVersion, requireVersion } from './versions.ts'

export async function createGroup(
  tx: Db,
  { accountId, vault, clock }: ChangeContext,
  { alertChannelSubscriptions: explicit, ...values }: CheckGroupValues,
  { autoAssignAlerts }: { autoAssignAlerts?: boolean | undefined },
): Promise<groups.StoredGroup> {
  const count = () => groups.countGroups(tx, accountId)
  await requireQuota(tx, accountId, { key: 'CHECK_GROUPS', count })
  refuse([
    ...muteIssues(values, {}, clock.now()),
    ...groupExpressionIssues(values.apiCheckDefaults),
    ...(await listMissingReferences(tx, accountId, [values])).flat(),
  ])
  const group = await groups.insertGroup(tx, vault, accountId, values)
  await subscribeNew(tx, accountId, [{ target: { groupId: group.id }, autoAssignAlerts, explicit }])
  return group
}

export type GroupChange = BodyOf<typeof updateCheckGroup> | BodyOf<typeof updateCheckGroupV2>

export async function updateGroup(
  tx: Db,
  { accountId, vault, clock }: ChangeContext,
  id: number,
  { alertChannelSubscriptions: entries, ...change }: GroupChange,
  ifMatch?: string,
): Promise<groups.StoredGroup> {
  const before = await groups.findGroupForUpdate(tx, vault, accountId, id)
  if (before === null) throw new ApiError('not_found')
  requireVersion(before, ifMatch)
  const after = keepSecrets(before, { ...before, ...change })
  refuse([
    ...checkGroupIssues(after),
    ...muteIssues(change, before, clock.now()),
    ...groupExpressionIssues(change.apiCheckDefaults),
    ...(await listMissingReferences(tx, accountId, [change])).flat(),
  ])
  const isActivationChanged = before.activated !== after.activated
  const values = { ...after, updated_at: nextVersion([before], clock.now()), isActivationChanged }
  const group = await groups.updateGroup(tx, vault, accountId, id, values)
  if (group === null) throw new ApiError('not_found')
  if (entries !== undefined) await replaceSubscriptions(tx, accountId, [{ target: { groupId: id }, entries }])
  await rescheduleGroup(tx, clock, accountId, id)
  return group
}

/** Clients that send back what they read have no value for a secret: it stays unchanged. */
function keepSecrets(before: groups.StoredGroup, after: groups.StoredGroup): groups.StoredGroup {
  const secrets = new Map<string, string | null | undefined>()
  for (const { key, value, secret } of before.environmentVariables ?? []) if (secret) secrets.set(key, value)
  const environmentVariables =
    after.environmentVariables?.map((entry) =>
      entry.secret ? { ...entry, value: entry.value ?? secrets.get(entry.key) } : entry,
    ) ?? null
  return { ...after, environmentVariables }
}

function refuse(issues: FieldIssue[]): void {
  if (issues.length > 0) throw invalidInput(issues)
}
