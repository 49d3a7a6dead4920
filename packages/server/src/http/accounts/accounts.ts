import {
  type AccountUpdate,
  getAccount,
  getEntitlements,
  getMyAccount,
  getMyEntitlements,
  invalidInput,
  listAccounts,
  maxAccountSettings,
  updateAccount,
  updateMyAccount,
} from '@vedette/contracts'
import type { z } from 'zod'
import * as accounts from '../../storage/accounts/accounts.ts'
import { listMissingChannels } from '../../storage/alerts/alert-channels.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import { authorizeAccount } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'
import { serializeAccount } from './serialize-account.ts'
import { serializeEntitlements } from './serialize-entitlements.ts'

export function accountRoutes(deps: Deps): Mounted[] {
  const { db } = deps.store
  const read = async (id: string) => serializeAccount(orNotFound(await accounts.findAccount(db, id)))
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
    handle(updateMyAccount, async ({ account, body }) => changeAccount(deps, account.id, body)),
    handle(updateAccount, async ({ principal, params, body }) => {
      return changeAccount(deps, authorizeAccount(principal, params.accountId, 'ADMIN').id, body)
    }),
    handle(getMyEntitlements, async ({ account }) => readEntitlements(account.id)),
    handle(getEntitlements, async ({ principal, params }) => {
      return readEntitlements(authorizeAccount(principal, params.accountId).id)
    }),
  ]
}

async function changeAccount({ store, clock }: Deps, id: string, body: z.output<typeof AccountUpdate>) {
  const row = await transact(store.db, async (tx) => {
    const before = orNotFound(await accounts.lockAccount(tx, id))
    const settings = { ...before.settings, ...body.settings }
    if (Object.keys(settings).length > maxAccountSettings) {
      throw invalidInput([{ path: ['settings'], message: `must have at most ${maxAccountSettings} entries` }])
    }
    await refuseUnknownChannels(tx, id, body.settings?.agentAlarmChannelIds ?? [])
    return accounts.updateAccount(tx, id, {
      name: body.name,
      runtime_id: body.runtimeId,
      settings: JSON.stringify(settings),
      alert_settings: body.alertSettings && JSON.stringify(body.alertSettings),
      updated_at: new Date(clock.now()),
    })
  })
  return serializeAccount(orNotFound(row))
}

async function refuseUnknownChannels(tx: Db, accountId: string, ids: readonly number[]): Promise<void> {
  const missing = await listMissingChannels(tx, accountId, ids)
  const issues = missing.map((id) => ({
    path: ['settings', 'agentAlarmChannelIds', ids.indexOf(id)],
    message: 'does not exist',
  }))
  if (issues.length > 0) throw invalidInput(issues)
}
