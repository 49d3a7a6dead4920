import {
  ApiError,
  type Check,
  type CheckType,
  checkRoutesOf,
  checkTypeNames,
  createCheck,
  deleteCheck,
  getCheck,
  listChecks,
  updateCheck,
} from '@vedette/contracts'
import {
  type CheckChange,
  type CheckUpdate,
  createChecks,
  deleteChecks,
  type NewCheck,
  updateChecks,
} from '../../checks/change-checks.ts'
import { type Warn, warnOfChange, warnOfRemoved } from '../../checks/check-warnings.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as reads from '../../storage/checks/check-reads.ts'
import { transact } from '../../storage/core/db.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { parseOrThrow } from '../transport/validate.ts'
import { readCheck, serializeChecks, withGroupSettings } from './serialize-check.ts'

export function checkRoutes(deps: Deps): Mounted[] {
  const { store } = deps
  return [
    handle(listChecks, async ({ account, query }) => {
      const { items, total } = await reads.listChecks(store, account.id, query, deps.clock.now())
      const own = await serializeChecks(deps, account, items)
      return { items: query.applyGroupSettings ? await withGroupSettings(deps, account, own) : own, total }
    }),
    handle(getCheck, async ({ account, params, query }) => {
      const own = orNotFound(await readCheck(deps, account, params.id, query))
      if (!query.applyGroupSettings) return own
      const [effective = own] = await withGroupSettings(deps, account, [own])
      return effective
    }),
    handle(deleteCheck, ({ account, params }) =>
      transact(store.db, (tx) => deleteChecks(tx, account.id, [params.id])),
    ),
    handle(createCheck, ({ account, query, body, warn }) =>
      create(deps, account, { type: body.checkType, values: body, ...query }, warn),
    ),
    handle(updateCheck, ({ account, params, body, judgeFieldsBy, request, warn }) => {
      const read = (type: CheckType) => {
        judgeFieldsBy(checkRoutesOf[type].update)
        return parseOrThrow(orNotFound(checkRoutesOf[type].update.body), body)
      }
      const ifMatch = request.headers['if-match']
      return update(deps, account, { id: params.id, read, ifMatch }, { raw: request.body, warn })
    }),
    ...checkTypeNames.flatMap((type) => routesOfType(deps, type)),
  ]
}

function routesOfType(deps: Deps, type: CheckType): Mounted[] {
  const routes = checkRoutesOf[type]
  return [
    handle(routes.create, ({ account, query, body, warn }) =>
      create(deps, account, { type, values: body, ...query }, warn),
    ),
    handle(routes.update, ({ account, params, body, request, warn }) => {
      const read = (stored: CheckType) => {
        // The path names a type: checks of other types don't exist under it.
        if (stored !== type) throw new ApiError('not_found')
        return body
      }
      const ifMatch = request.headers['if-match']
      return update(deps, account, { id: params.id, read, ifMatch }, { raw: request.body, warn })
    }),
  ]
}

async function create(deps: Deps, account: AccountContext, check: NewCheck, warn: Warn): Promise<Check> {
  const context = { ...deps, accountId: account.id }
  const [created] = await transact(deps.store.db, (tx) => createChecks(tx, context, [check]))
  return readChanged(deps, account, orNotFound(created), warn)
}

async function update(
  deps: Deps,
  account: AccountContext,
  change: CheckUpdate,
  { raw, warn }: { raw: unknown; warn: Warn },
): Promise<Check> {
  const context = { ...deps, accountId: account.id }
  const [updated] = await transact(deps.store.db, (tx) => updateChecks(tx, context, [change]))
  const { sent, before } = orNotFound(updated)
  warnOfRemoved(sent, raw, before, warn)
  return readChanged(deps, account, orNotFound(updated), warn)
}

// choice: a change returns what a read returns, so secrets that were just sent aren't echoed.
async function readChanged(
  deps: Deps,
  account: AccountContext,
  change: CheckChange,
  warn: Warn,
): Promise<Check> {
  const { store, vault } = deps
  await warnOfChange(store.db, vault, account.id, change, warn)
  return orNotFound(await readCheck(deps, account, change.id))
}
