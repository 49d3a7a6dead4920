// Changes the settings of an account, in the transaction of the caller.
import { type AccountUpdate, invalidInput, maxAccountSettings } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../core/or-not-found.ts'
import * as accounts from '../storage/accounts/accounts.ts'
import { listMissingChannels } from '../storage/alerts/alert-channels.ts'
import type { Db } from '../storage/core/db.ts'

export async function changeAccount(
  tx: Db,
  id: string,
  change: z.output<typeof AccountUpdate>,
  now: number,
): Promise<accounts.AccountRow> {
  const before = orNotFound(await accounts.lockAccount(tx, id))
  const settings = { ...before.settings, ...change.settings }
  if (Object.keys(settings).length > maxAccountSettings) {
    throw invalidInput([{ path: ['settings'], message: `must have at most ${maxAccountSettings} entries` }])
  }
  await refuseUnknownChannels(tx, id, change.settings?.agentAlarmChannelIds ?? [])
  const row = await accounts.updateAccount(tx, id, {
    name: change.name,
    runtime_id: change.runtimeId,
    settings: JSON.stringify(settings),
    alert_settings: change.alertSettings && JSON.stringify(change.alertSettings),
    updated_at: new Date(now),
  })
  return orNotFound(row)
}

async function refuseUnknownChannels(tx: Db, accountId: string, ids: readonly number[]): Promise<void> {
  const missing = await listMissingChannels(tx, accountId, ids)
  const issues = missing.map((id) => ({
    path: ['settings', 'agentAlarmChannelIds', ids.indexOf(id)],
    message: 'does not exist',
  }))
  if (issues.length > 0) throw invalidInput(issues)
}
