import {
  type BodyOf,
  getAccount,
  getEntitlements,
  getMyAccount,
  getMyEntitlements,
  listAccounts,
  updateAccount,
  updateMyAccount,
} from '@vedette/contracts'
import { changeAccount } from '../../accounts/change-account.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import * as accounts from '../../storage/accounts/accounts.ts'
import { transact } from '../../storage/core/db.ts'
import { authorizeAccount } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeAccount } from './serialize-account.ts'
import { serializeEntitlements } from './serialize-entitlements.ts'

export function accountRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  const read = async (id: string) => serializeAccount(orNotFound(await accounts.findAccount(db, id)))
  const change = async (id: string, body: BodyOf<typeof updateAccount>) =>
    serializeAccount(await transact(db, (tx) => changeAccount(tx, id, body, deps.clock.now())))
  const readEntitlements = async (id: string) =>
    serializeEntitlements(orNotFound(await accounts.findAccount(db, id)).plan)
  return [
    handle(listAccounts, async ({ principal }) => {
      return (await accounts.listAccounts(db, [...principal.roles.keys()])).map(serializeAccount)
    }),
    handle(getMyAccount, async ({ account }) => read(account.id)),
    handle(getAccount, async ({ principal, params }) =>
      read(authorizeAccount(principal, params.accountId).id),
    ),
    handle(updateMyAccount, ({ account, body }) => change(account.id, body)),
    handle(updateAccount, async ({ principal, params, body }) =>
      change(authorizeAccount(principal, params.accountId, 'ADMIN').id, body),
    ),
    handle(getMyEntitlements, async ({ account }) => readEntitlements(account.id)),
    handle(getEntitlements, async ({ principal, params }) => {
      return readEntitlements(authorizeAccount(principal, params.accountId).id)
    }),
  ]
}
