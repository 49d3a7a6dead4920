import { z } from 'zod'
import { AlertSettings } from '../alerts/alert-settings.ts'
import { addition, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { RuntimeId } from '../runs/runtime-ids.ts'
import { AccountSettings, AccountSettingsUpdate } from './account-settings.ts'

export const AddonTierName = z.enum(['hobby', 'starter', 'team'])

const AddonTier = z
  .object({ tier: AddonTierName, tierDisplayName: z.string() })
  .meta({ id: 'AccountAddonTier' })

export const AccountAddons = z
  .object({ communicate: AddonTier, resolve: AddonTier })
  .meta({ id: 'AccountAddons' })

/** spec §2.6 */
export const Account = z
  .object({
    id: Uuid,
    name: z.string(),
    runtimeId: z.string().describe("The runtime of checks that don't set one"),
    plan: z.string(),
    planDisplayName: z.string(),
    addons: AccountAddons,
    settings: AccountSettings,
    alertSettings: AlertSettings,
    features: addition(z.array(z.string())),
  })
  .meta({ id: 'Account' })

export const AccountUpdate = z
  .object({
    name: z.string().min(1).max(200).optional(),
    runtimeId: RuntimeId.optional(),
    settings: AccountSettingsUpdate.optional().describe('Only the settings that are sent change'),
    alertSettings: AlertSettings.optional(),
  })
  .meta({ id: 'AccountUpdate' })

const tag = 'Accounts'
/** Any text: if it isn't an account of the key, the response is 404. */
export const AccountInPath = z.object({ accountId: z.string().max(200) })
const example = { name: 'Acme', settings: { allowBadges: false } }

export const listAccounts = route({
  method: 'GET',
  path: '/v1/accounts',
  tag,
  summary: 'List the accounts that the key reaches',
  access: 'key',
  status: 200,
  response: z.array(Account),
})

export const getMyAccount = route({
  method: 'GET',
  path: '/v1/accounts/me',
  tag,
  summary: 'Read the account that the header chooses',
  access: 'READ_ONLY',
  status: 200,
  response: Account,
})

export const getAccount = route({
  method: 'GET',
  path: '/v1/accounts/{accountId}',
  tag,
  summary: 'Read an account',
  access: 'key',
  params: AccountInPath,
  status: 200,
  response: Account,
})

export const updateMyAccount = route({
  method: 'PATCH',
  path: '/v1/accounts/me',
  tag,
  summary: 'Change the account that the header chooses',
  access: 'ADMIN',
  body: AccountUpdate,
  status: 200,
  response: Account,
  example,
})

export const updateAccount = route({
  method: 'PATCH',
  path: '/v1/accounts/{accountId}',
  tag,
  summary: 'Change an account',
  description: 'Requires ADMIN or higher in that account.',
  access: 'key',
  params: AccountInPath,
  body: AccountUpdate,
  status: 200,
  response: Account,
  example,
})
