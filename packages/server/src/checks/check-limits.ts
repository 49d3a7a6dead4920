// What a plan says about checks: how many of a kind, and with which features.
import {
  ApiError,
  type CheckType,
  type CheckValues,
  checkTypeNames,
  type FlagKey,
  type MeteredKey,
  planOf,
} from '@vedette/contracts'
import { findAccount } from '../storage/accounts/accounts.ts'
import { countChecks } from '../storage/checks/checks.ts'
import type { Db } from '../storage/core/db.ts'
import { requireFeature, requireRoom } from './entitlements.ts'

const meterOf = {
  API: 'API_CHECKS',
  MULTI_STEP: 'API_CHECKS',
  BROWSER: 'BROWSER_CHECKS',
  PLAYWRIGHT: 'PLAYWRIGHT_CHECKS',
  URL: 'UPTIME_MONITORS',
  TCP: 'UPTIME_MONITORS',
  DNS: 'UPTIME_MONITORS',
  ICMP: 'UPTIME_MONITORS',
  HEARTBEAT: 'HEARTBEAT_MONITORS',
  AGENTIC: null,
} satisfies Record<CheckType, MeteredKey | null>

export async function requireRoomForCheck(tx: Db, accountId: string, type: CheckType): Promise<void> {
  const meter = meterOf[type]
  if (meter === null) return
  const counted = checkTypeNames.filter((other) => meterOf[other] === meter)
  await requireRoom(tx, accountId, meter, () => countChecks(tx, accountId, counted))
}

/** Only what a change switches on is judged: a check made under a larger plan can still be changed. */
export async function requireCheckFeatures(
  tx: Db,
  accountId: string,
  after: CheckValues,
  before: CheckValues = {},
): Promise<void> {
  const had = featuresOf(before)
  for (const feature of featuresOf(after))
    if (!had.includes(feature)) await requireFeature(tx, accountId, feature)
  const count = countLocations(after)
  if (count <= countLocations(before)) return
  const { plan } = (await findAccount(tx, accountId)) ?? { plan: '' }
  const { maxLocationsPerCheck } = planOf(plan)
  if (maxLocationsPerCheck === undefined || count <= maxLocationsPerCheck) return
  throw new ApiError('payment_required', {
    message: `The plan of this account allows ${maxLocationsPerCheck} locations per check.`,
    attributes: { maxLocationsPerCheck },
  })
}

function featuresOf(values: CheckValues): FlagKey[] {
  const features: FlagKey[] = []
  if (values.checkType === 'AGENTIC') features.push('AGENTIC_CHECKS')
  if (values.runParallel === true) features.push('PARALLEL_SCHEDULING')
  if (values.frequency === 0) features.push('HIGH_FREQUENCY')
  if ((values.triggerIncident ?? null) !== null) features.push('INCIDENT_AUTOMATION')
  return features
}

function countLocations({ locations }: CheckValues): number {
  return new Set(Array.isArray(locations) ? locations : []).size
}
