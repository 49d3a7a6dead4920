import { randomUUID } from 'node:crypto'
import {
  ApiError,
  createSavedView,
  deleteSavedView,
  getSavedView,
  listSavedViews,
  roleAllows,
  type SavedView,
  updateSavedView,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Principal } from '../../storage/accounts/api-keys.ts'
import * as views from '../../storage/checks/saved-views.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

interface Caller {
  account: AccountContext
  principal: Principal
}

export function savedViewRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  const find = async ({ account, principal }: Caller, id: string) => {
    const row = orNotFound(await views.findSavedView(db, account.id, id))
    // A view of someone else is as good as none.
    if (!row.is_shared && row.user_id !== principal.userId) throw new ApiError('not_found')
    return row
  }
  const findChangeable = async (caller: Caller, id: string) => {
    const row = await find(caller, id)
    const isOwn = row.user_id !== null && row.user_id === caller.principal.userId
    if (!isOwn) requireSharing(caller)
    return row
  }
  return [
    handle(listSavedViews, async ({ account, principal, query }) => {
      const who = { accountId: account.id, userId: principal.userId }
      const { items, total } = await views.listSavedViews(db, who, query)
      return { items: items.map((row) => serializeView(row, principal)), total }
    }),
    handle(getSavedView, async (call) => serializeView(await find(call, call.params.id), call.principal)),
    handle(createSavedView, async (call) => {
      const { account, principal, body } = call
      if (body.isShared) requireSharing(call)
      else if (principal.userId === null)
        throw new ApiError('forbidden', {
          message: 'A service key has no views of its own. Send isShared: true, or use a user key.',
        })
      const row = await views.insertSavedView(db, {
        ...{ id: randomUUID(), account_id: account.id, user_id: principal.userId },
        ...{ name: body.name, query: body.query, is_shared: body.isShared },
      })
      return serializeView(row, principal)
    }),
    handle(updateSavedView, async (call) => {
      const { account, principal, params, body } = call
      const before = await findChangeable(call, params.id)
      if (body.isShared === true && !before.is_shared) requireSharing(call)
      // Otherwise it would belong to nobody.
      if (body.isShared === false && before.user_id !== principal.userId)
        throw new ApiError('forbidden', { message: 'Only its owner can stop sharing a view.' })
      const row = await views.updateSavedView(db, account.id, params.id, {
        ...{ name: body.name, query: body.query, is_shared: body.isShared },
        updated_at: new Date(clock.now()),
      })
      return serializeView(orNotFound(row), principal)
    }),
    handle(deleteSavedView, async (call) => {
      await findChangeable(call, call.params.id)
      await views.deleteSavedView(db, call.account.id, call.params.id)
    }),
  ]
}

function requireSharing({ account: { role } }: Caller): void {
  if (!roleAllows(role, 'READ_WRITE'))
    throw new ApiError('forbidden', {
      message: `A shared view requires READ_WRITE or higher; the key has ${role}.`,
    })
}

function serializeView(row: views.SavedViewRow, { userId }: Principal): SavedView {
  return {
    id: row.id,
    name: row.name,
    query: row.query,
    isShared: row.is_shared,
    isOwn: row.user_id !== null && row.user_id === userId,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
