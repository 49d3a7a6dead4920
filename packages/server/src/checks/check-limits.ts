// Checks the entitlements of an account: how many checks of a kind it may have, and with which features.
import {
  ApiError,
  type CheckType,
  type CheckValues,
  checkTypeNames,
  definitionOf,
  type FlagKey,
} from '@vedette/contracts'
import { type Entitlements, refuseMissingFeature, requireQuota } from '../accounts/entitlements.ts'
import { countChecks } from '../storage/checks/checks.ts'
import type { Db } from '../storage/core/db.ts'

const meterOf = (type: CheckType) => definitionOf(type).entitlement.meter

/** Counts once for each meter of these types. */
export async function requireCheckQuotas(
  tx: Db,
  accountId: string,
  entitled: Entitlements,
  types: readonly CheckType[],
): Promise<void> {
  for (const [key, metered] of Map.groupBy(types, (type) => meterOf(type))) {
    if (key === null) continue
    const counted = checkTypeNames.filter((other) => meterOf(other) === key)
    const count = () => countChecks(tx, accountId, counted)
    await requireQuota(tx, accountId, { key, adding: metered.length, count, entitled })
  }
}

/** Only features that a change turns on are checked: checks of an account whose plan was reduced can still be changed. */
export function requireCheckFeatures(
  entitled: Entitlements,
  after: CheckValues,
  before: CheckValues = {},
): void {
  const had = featuresOf(before)
  for (const feature of featuresOf(after)) {
    if (!had.includes(feature)) refuseMissingFeature(entitled, feature)
  }
  const count = countLocations(after)
  if (count <= countLocations(before)) return
  const { maxLocationsPerCheck } = entitled
  if (maxLocationsPerCheck === undefined || count <= maxLocationsPerCheck) return
  throw new ApiError('payment_required', {
    message: `The plan of this account allows ${maxLocationsPerCheck} locations per check.`,
    attributes: { maxLocationsPerCheck },
  })
}

function featuresOf(values: CheckValues): FlagKey[] {
  const features: FlagKey[] = []
  const type = checkTypeNames.find((name) => name === values.checkType)
  const own = type && definitionOf(type).entitlement.feature
  if (own !== undefined) features.push(own)
  if (values.runParallel === true) features.push('PARALLEL_SCHEDULING')
  if (values.frequency === 0) features.push('HIGH_FREQUENCY')
  if ((values.triggerIncident ?? null) !== null) features.push('INCIDENT_AUTOMATION')
  return features
}

function countLocations({ locations }: CheckValues): number {
  return new Set(Array.isArray(locations) ? locations : []).size
}
