import { z } from 'zod'
import { route } from '../core/route.ts'
import { AccountAddons, AccountInPath, AddonTierName } from './accounts.ts'

const Entitlement = z
  .object({
    key: z.string(),
    name: z.string(),
    description: z.string(),
    type: z.enum(['flag', 'metered']),
    enabled: z.boolean(),
    quantity: z.int().min(0).optional().describe('How many the plan allows; absent: no limit'),
    requiredPlan: z.string().optional().describe("Only if it isn't enabled"),
    requiredPlanDisplayName: z.string().optional(),
    requiredAddon: z
      .object({ name: z.string(), displayName: z.string(), tier: AddonTierName, tierDisplayName: z.string() })
      .optional(),
  })
  .meta({ id: 'Entitlement' })

/** spec §2.7 */
export const Entitlements = z
  .object({
    plan: z.string(),
    planDisplayName: z.string(),
    addons: AccountAddons,
    locations: z.object({
      all: z.array(z.object({ id: z.string(), name: z.string(), available: z.boolean() })),
      maxPerCheck: z.int().min(1).optional().describe('Absent: no limit'),
    }),
    entitlements: z.array(Entitlement),
  })
  .meta({ id: 'Entitlements' })

const tag = 'Accounts'

export const getMyEntitlements = route({
  method: 'GET',
  path: '/v1/accounts/me/entitlements',
  tag,
  summary: 'What the plan of the chosen account allows',
  access: 'READ_ONLY',
  status: 200,
  response: Entitlements,
})

export const getEntitlements = route({
  method: 'GET',
  path: '/v1/accounts/{accountId}/entitlements',
  tag,
  summary: 'What the plan of an account allows',
  access: 'key',
  params: AccountInPath,
  status: 200,
  response: Entitlements,
})
