import { type Account, defaultAccountSettings, type Plan, planOf } from '@vedette/contracts'
import type { z } from 'zod'
import type { AccountRow } from '../../storage/accounts/accounts.ts'

export function serializeAccount(row: AccountRow): z.output<typeof Account> {
  const plan = planOf(row.plan)
  return {
    id: row.id,
    name: row.name,
    runtimeId: row.runtime_id,
    plan: row.plan,
    planDisplayName: plan.displayName,
    addons: serializeAddons(plan),
    // Settings may have been added after the account was created.
    settings: { ...defaultAccountSettings, ...row.settings },
    alertSettings: row.alert_settings,
    features: [],
  }
}

const tierNames = { hobby: 'Hobby', starter: 'Starter', team: 'Team' } satisfies Record<
  Plan['addonTier'],
  string
>

export function serializeAddons({ addonTier }: Plan): z.output<typeof Account>['addons'] {
  const tierName = tierNames[addonTier]
  return {
    communicate: { tier: addonTier, tierDisplayName: `Communicate ${tierName}` },
    resolve: { tier: addonTier, tierDisplayName: `Resolve ${tierName}` },
  }
}
