import {
  type EntitlementKey,
  type Entitlements,
  entitlements,
  type FlagKey,
  locationNames,
  type MeteredKey,
  type Plan,
  planOf,
  plans,
  plansByRank,
} from '@vedette/contracts'
import type { z } from 'zod'
import { serializeAddons } from './serialize-account.ts'

type Answer = z.output<typeof Entitlements>

export function serializeEntitlements(planId: string): Answer {
  const plan = planOf(planId)
  const locations: Answer['locations'] = {
    all: Object.entries(locationNames).map(([id, name]) => ({ id, name, available: true })),
  }
  if (plan.maxLocationsPerCheck !== undefined) locations.maxPerCheck = plan.maxLocationsPerCheck
  return {
    plan: planId,
    planDisplayName: plan.displayName,
    addons: serializeAddons(plan),
    locations,
    entitlements: (Object.keys(entitlements) as EntitlementKey[]).map((key) =>
      serializeEntitlement(plan, key),
    ),
  }
}

function serializeEntitlement(plan: Plan, key: EntitlementKey): Answer['entitlements'][number] {
  const { name, description, type } = entitlements[key]
  const entry: Answer['entitlements'][number] = { key, name, description, type, enabled: includes(plan, key) }
  const quantity = type === 'metered' ? plan.quantities[key as MeteredKey] : undefined
  if (quantity !== undefined) entry.quantity = quantity
  const required = entry.enabled ? undefined : plansByRank.find((id) => includes(plans[id], key))
  if (required !== undefined) {
    entry.requiredPlan = required.toUpperCase()
    entry.requiredPlanDisplayName = plans[required].displayName
  }
  return entry
}

function includes(plan: Plan, key: EntitlementKey): boolean {
  return plan.quantities[key as MeteredKey] !== 0 && !plan.missing.includes(key as FlagKey)
}
