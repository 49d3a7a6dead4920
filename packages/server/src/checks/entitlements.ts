// Where a plan ends: 402 on the routes that the wire names.
import { ApiError, entitlements, type FlagKey, type MeteredKey, planOf } from '@vedette/contracts'
import { getPlanId, lockAccount } from '../storage/accounts/accounts.ts'
import type { Db } from '../storage/core/db.ts'

/** Call inside the transaction that creates the resource; `count` counts what the account has already. */
export async function requireRoom(
  tx: Db,
  accountId: string,
  key: MeteredKey,
  count: () => Promise<number>,
): Promise<void> {
  const allowed = planOf(await getPlanId(tx, accountId)).quantities[key]
  if (allowed === undefined) return
  // Only limited accounts wait here: two creates must not both take the last place.
  await lockAccount(tx, accountId)
  if ((await count()) < allowed) return
  throw new ApiError('payment_required', {
    message: `The plan of this account allows ${allowed} ${entitlements[key].name.toLowerCase()}.`,
    attributes: { entitlement: key, quantity: allowed },
  })
}

export async function requireFeature(tx: Db, accountId: string, key: FlagKey): Promise<void> {
  if (!planOf(await getPlanId(tx, accountId)).missing.includes(key)) return
  throw new ApiError('payment_required', {
    message: `The plan of this account does not include: ${entitlements[key].name}.`,
    attributes: { entitlement: key },
  })
}
