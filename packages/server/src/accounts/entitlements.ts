// The entitlements of an account. Exceeding one is a 402, on the routes for which the wire documents it.
import { ApiError, entitlements, type FlagKey, type MeteredKey, planOf } from '@vedette/contracts'
import { getPlanId, lockAccount } from '../storage/accounts/accounts.ts'
import type { Db } from '../storage/core/db.ts'

export type Entitlements = ReturnType<typeof planOf>

export async function readEntitlements(tx: Db, accountId: string): Promise<Entitlements> {
  return planOf(await getPlanId(tx, accountId))
}

interface Quota {
  key: MeteredKey
  /** How many the transaction creates. */
  adding?: number
  /** Counts what the account already has. */
  count: () => Promise<number>
  /** Entitlements of the account, if the caller has read them. */
  entitled?: Entitlements
}

/** Call inside the transaction that creates the resources. */
export async function requireQuota(
  tx: Db,
  accountId: string,
  { key, adding = 1, count, entitled }: Quota,
): Promise<void> {
  const allowed = (entitled ?? (await readEntitlements(tx, accountId))).quantities[key]
  if (allowed === undefined) return
  // Two transactions must not both create the last one. Unlimited accounts don't wait for the lock.
  await lockAccount(tx, accountId)
  if ((await count()) + adding <= allowed) return
  throw new ApiError('payment_required', {
    message: `The plan of this account allows ${allowed} ${entitlements[key].name.toLowerCase()}.`,
    attributes: { entitlement: key, quantity: allowed },
  })
}

export async function requireFeature(tx: Db, accountId: string, key: FlagKey): Promise<void> {
  refuseMissingFeature(await readEntitlements(tx, accountId), key)
}

export function refuseMissingFeature({ missing }: Entitlements, key: FlagKey): void {
  if (!missing.includes(key)) return
  throw new ApiError('payment_required', {
    message: `The plan of this account does not include: ${entitlements[key].name}.`,
    attributes: { entitlement: key },
  })
}
