import {
  ApiError,
  applyGroup,
  type BodyOf,
  type Check,
  type CheckGroupValues,
  checkGroupIssues,
  createCheckGroup,
  createCheckGroupV2,
  deleteCheckGroup,
  type FieldIssue,
  getCheckGroup,
  getCheckGroupCheck,
  getCheckGroupCheckV2,
  invalidInput,
  listCheckGroupChecks,
  listCheckGroupChecksV2,
  listCheckGroups,
  type Page,
  updateCheckGroup,
  updateCheckGroupV2,
} from '@vedette/contracts'
import { warnOfScripts } from '../../checks/check-warnings.ts'
import { requireRoom } from '../../checks/entitlements.ts'
import { groupExpressionIssues } from '../../checks/expression-issues.ts'
import { rescheduleGroup } from '../../checks/reschedule.ts'
import * as groups from '../../storage/checks/check-groups.ts'
import { findCheck, listChecks } from '../../storage/checks/checks.ts'
import { listMissingReferences } from '../../storage/checks/references.ts'
import { replaceSubscriptions, subscribeNew } from '../../storage/checks/subscriptions.ts'
import { transact } from '../../storage/core/db.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { type Call, handle, type Mounted, orNotFound } from '../transport/mount.ts'
import { serializeChecks } from './serialize-check.ts'
import { type SerializedGroup, serializeGroup, serializeGroups } from './serialize-check-group.ts'

export function checkGroupRoutes(deps: Deps): Mounted[] {
  const { store, vault } = deps
  const { db } = store
  return [
    handle(listCheckGroups, async ({ account, query }) => {
      const { items, total } = await groups.listGroups(db, vault, account.id, query)
      return { items: await serializeGroups(db, account, items), total }
    }),
    handle(getCheckGroup, ({ account, params }) => readGroup(deps, account, params.id)),
    handle(createCheckGroup, async ({ account, query, body, warn }) => {
      await warnOfScripts(body, warn)
      return create(deps, account, body, query)
    }),
    handle(createCheckGroupV2, async ({ account, query, body, warn }) => {
      await warnOfScripts(body, warn)
      return create(deps, account, body, query)
    }),
    handle(updateCheckGroup, async ({ account, params, body, warn }) => {
      await warnOfScripts(body, warn)
      return update(deps, account, params.id, body)
    }),
    handle(updateCheckGroupV2, async ({ account, params, body, warn }) => {
      await warnOfScripts(body, warn)
      return update(deps, account, params.id, body)
    }),
    handle(deleteCheckGroup, async ({ account, params }) => {
      if (!(await groups.deleteGroup(db, account.id, params.id))) throw new ApiError('not_found')
    }),
    handle(listCheckGroupChecks, (call) => listMembers(deps, call)),
    handle(listCheckGroupChecksV2, (call) => listMembers(deps, call)),
    handle(getCheckGroupCheck, (call) => getMember(deps, call)),
    handle(getCheckGroupCheckV2, (call) => getMember(deps, call)),
  ]
}

function create(
  { store, vault }: Deps,
  account: AccountContext,
  { alertChannelSubscriptions: explicit, ...values }: CheckGroupValues,
  { autoAssignAlerts }: { autoAssignAlerts?: boolean | undefined },
): Promise<SerializedGroup> {
  return transact(store.db, async (tx) => {
    await requireRoom(tx, account.id, 'CHECK_GROUPS', () => groups.countGroups(tx, account.id))
    refuse([
      ...groupExpressionIssues(values.apiCheckDefaults),
      ...(await listMissingReferences(tx, account.id, values)),
    ])
    const group = await groups.insertGroup(tx, vault, account.id, values)
    await subscribeNew(tx, account.id, { groupId: group.id }, { autoAssignAlerts, explicit })
    return serializeGroup(tx, account, group)
  })
}

type GroupChange = BodyOf<typeof updateCheckGroup> | BodyOf<typeof updateCheckGroupV2>

function update(
  { store, vault, clock }: Deps,
  account: AccountContext,
  id: number,
  { alertChannelSubscriptions, ...change }: GroupChange,
): Promise<SerializedGroup> {
  return transact(store.db, async (tx) => {
    const before = orNotFound(await groups.findGroupForUpdate(tx, vault, account.id, id))
    const after = keepSecrets(before, { ...before, ...change })
    refuse([
      ...checkGroupIssues(after),
      ...groupExpressionIssues(change.apiCheckDefaults),
      ...(await listMissingReferences(tx, account.id, change)),
    ])
    const isActivationChanged = before.activated !== after.activated
    const values = { ...after, updated_at: new Date(clock.now()), isActivationChanged }
    const group = orNotFound(await groups.updateGroup(tx, vault, account.id, id, values))
    if (alertChannelSubscriptions !== undefined) {
      await replaceSubscriptions(tx, account.id, { groupId: id }, alertChannelSubscriptions)
    }
    await rescheduleGroup(tx, clock, account.id, id)
    return serializeGroup(tx, account, group)
  })
}

/** Who sends back what was read has no value for a secret: it stays what it was. */
function keepSecrets(before: groups.StoredGroup, after: groups.StoredGroup): groups.StoredGroup {
  const secrets = new Map<string, string | null | undefined>()
  for (const { key, value, secret } of before.environmentVariables ?? []) if (secret) secrets.set(key, value)
  const environmentVariables =
    after.environmentVariables?.map((entry) =>
      entry.secret ? { ...entry, value: entry.value ?? secrets.get(entry.key) } : entry,
    ) ?? null
  return { ...after, environmentVariables }
}

async function listMembers(
  deps: Deps,
  { account, params, query }: Call<typeof listCheckGroupChecks>,
): Promise<Page<Check>> {
  const group = await readGroup(deps, account, params.id)
  const { items, total } = await listChecks(deps.store, account.id, { ...query, groupId: group.id })
  const checks = await serializeChecks(deps, account, items)
  return { items: checks.map((check) => applyGroup(check, group)), total }
}

async function getMember(deps: Deps, { account, params }: Call<typeof getCheckGroupCheck>): Promise<Check> {
  const group = await readGroup(deps, account, params.groupId)
  const row = orNotFound(await findCheck(deps.store, account.id, params.checkId))
  if (row.group_id !== group.id) throw new ApiError('not_found')
  const [check] = await serializeChecks(deps, account, [row])
  return applyGroup(orNotFound(check ?? null), group)
}

async function readGroup(
  { store, vault }: Deps,
  account: AccountContext,
  id: number,
): Promise<SerializedGroup> {
  return serializeGroup(
    store.db,
    account,
    orNotFound(await groups.findGroup(store.db, vault, account.id, id)),
  )
}

function refuse(issues: FieldIssue[]): void {
  if (issues.length > 0) throw invalidInput(issues)
}
