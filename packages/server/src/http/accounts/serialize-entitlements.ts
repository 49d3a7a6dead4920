import {
  type EntitlementKey,
  type Entitlements,
  entitlements,
  locationNames,
  type MeteredKey,
  type Plan,
  planOf,
  plans,
  plansByRank,
} from '@vedette/contracts'
import type { z } from 'zod'
import { serializeAddons } from './serialize-account.ts'

type Serialized = z.output<typeof Entitlements>

export function serializeEntitlements(planId: string): Serialized {
  const plan = planOf(planId)
  const locations: Serialized['locations'] = {
    all: Object.entries(locationNames).map(([id, name]) => ({ id, name, available: true })),
  }
  if (plan.maxLocationsPerCheck !== undefined) locations.maxPerCheck = plan.maxLocationsPerCheck
  return {
    plan: planId,
    planDisplayName: plan.displayName,
    addons: serializeAddons(plan),
    locations,
    entitlements: Object.keys(entitlements)
      .filter(isEntitlement)
      .map((key) => serializeEntitlement(plan, key)),
  }
}

function serializeEntitlement(plan: Plan, key: EntitlementKey): Serialized['entitlements'][number] {
  const { name, description, type } = entitlements[key]
  const entry: Serialized['entitlements'][number] = {
    key,
    name,
    description,
    type,
    enabled: includes(plan, key),
  }
  const quantity = isMetered(key) ? plan.quantities[key] : undefined
  if (quantity !== undefined) entry.quantity = quantity
  const required = entry.enabled ? undefined : plansByRank.find((id) => includes(plans[id], key))
  if (required !== undefined) {
    entry.requiredPlan = required.toUpperCase()
    entry.requiredPlanDisplayName = plans[required].displayName
  }
  return entry
}

function includes(plan: Plan, key: EntitlementKey): boolean {
  return isMetered(key) ? plan.quantities[key] !== 0 : !plan.missing.includes(key)
}

function isEntitlement(key: string): key is EntitlementKey {
  return Object.hasOwn(entitlements, key)
}

function isMetered(key: EntitlementKey): key is MeteredKey {
  return entitlements[key].type === 'metered'
}
