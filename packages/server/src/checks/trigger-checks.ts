// What sessions of every kind ask before they begin.
import { ApiError } from '@vedette/contracts'
import { type ChosenCheck, chooseChecks, type Target } from '../dispatch/choose-checks.ts'
import { areHeartbeats } from '../storage/checks/checks.ts'
import type { Db } from '../storage/core/db.ts'
import { clientOf } from '../storage/core/transaction.ts'
import { requireFeature } from './entitlements.ts'

/** 404 when nothing fits; 402 when the plan lost what one of them needs. */
export async function requireChecks(tx: Db, accountId: string, target: Target): Promise<ChosenCheck[]> {
  const chosen = await chooseChecks(clientOf(tx), accountId, target)
  if (chosen.length === 0) {
    const isHeartbeat = await areHeartbeats(tx, accountId, target.checkId ?? [])
    const message = isHeartbeat
      ? "Heartbeat monitors can't be triggered: they wait for pings."
      : 'No matching checks were found.'
    throw new ApiError('not_found', { message })
  }
  if (chosen.some(({ checkType }) => checkType === 'AGENTIC')) {
    await requireFeature(tx, accountId, 'AGENTIC_CHECKS')
  }
  return chosen
}

/** choice: what has no place to run in is left out, and said only when nothing else is left. */
export function withPlaces(chosen: ChosenCheck[]): ChosenCheck[] {
  const runnable = chosen.filter(({ places }) => places.length > 0)
  if (runnable.length === 0) {
    throw new ApiError('not_found', { message: 'None of the matching checks has a location to run in.' })
  }
  return runnable
}
