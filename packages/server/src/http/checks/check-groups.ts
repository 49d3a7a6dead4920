import {
  ApiError,
  applyGroup,
  type Check,
  type CheckGroupValues,
  createCheckGroup,
  createCheckGroupV2,
  deleteCheckGroup,
  getCheckGroup,
  getCheckGroupCheck,
  getCheckGroupCheckV2,
  listCheckGroupChecks,
  listCheckGroupChecksV2,
  listCheckGroups,
  type Page,
  updateCheckGroup,
  updateCheckGroupV2,
} from '@vedette/contracts'
import { createGroup, type GroupChange, updateGroup } from '../../checks/change-groups.ts'
import { warnOfScripts } from '../../checks/check-warnings.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as groups from '../../storage/checks/check-groups.ts'
import { listChecks } from '../../storage/checks/check-reads.ts'
import { transact } from '../../storage/core/db.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Call } from '../transport/call.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { readCheck, serializeChecks } from './serialize-check.ts'
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
    handle(updateCheckGroup, async ({ account, params, body, warn, request }) => {
      await warnOfScripts(body, warn)
      return update(deps, account, { id: params.id, ifMatch: request.headers['if-match'] }, body)
    }),
    handle(updateCheckGroupV2, async ({ account, params, body, warn, request }) => {
      await warnOfScripts(body, warn)
      return update(deps, account, { id: params.id, ifMatch: request.headers['if-match'] }, body)
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
  { store, vault, clock }: Deps,
  account: AccountContext,
  values: CheckGroupValues,
  options: { autoAssignAlerts?: boolean | undefined },
): Promise<SerializedGroup> {
  const context = { accountId: account.id, vault, clock }
  return transact(store.db, async (tx) =>
    serializeGroup(tx, account, await createGroup(tx, context, values, options)),
  )
}

function update(
  { store, vault, clock }: Deps,
  account: AccountContext,
  { id, ifMatch }: { id: number; ifMatch: string | undefined },
  change: GroupChange,
): Promise<SerializedGroup> {
  const context = { accountId: account.id, vault, clock }
  return transact(store.db, async (tx) =>
    serializeGroup(tx, account, await updateGroup(tx, context, id, change, ifMatch)),
  )
}

async function listMembers(
  deps: Deps,
  { account, params, query }: Call<typeof listCheckGroupChecks>,
): Promise<Page<Check>> {
  const group = await readGroup(deps, account, params.id)
  const { items, total } = await listChecks(
    deps.store,
    account.id,
    { ...query, groupId: group.id },
    deps.clock.now(),
  )
  const checks = await serializeChecks(deps, account, items)
  return { items: checks.map((check) => applyGroup(check, group)), total }
}

async function getMember(deps: Deps, { account, params }: Call<typeof getCheckGroupCheck>): Promise<Check> {
  const group = await readGroup(deps, account, params.groupId)
  const check = orNotFound(await readCheck(deps, account, params.checkId))
  if (check.groupId !== group.id) throw new ApiError('not_found')
  return applyGroup(check, group)
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
