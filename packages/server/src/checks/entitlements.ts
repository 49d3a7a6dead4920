// What the plan of an account entitles it to: 402 where it ends, on the routes that the wire names.
import { ApiError, entitlements, type FlagKey, type MeteredKey, planOf } from '@vedette/contracts'
import { getPlanId, lockAccount } from '../storage/accounts/accounts.ts'
import type { Db } from '../storage/core/db.ts'

export type Entitlements = ReturnType<typeof planOf>

export async function readEntitlements(tx: Db, accountId: string): Promise<Entitlements> {
  return planOf(await getPlanId(tx, accountId))
}

interface Quota {
  key: MeteredKey
  /** How many are created. */
  adding?: number
  /** Counts what the account has already. */
  count: () => Promise<number>
  /** Of the account, where the caller has read them. */
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
  // Only limited accounts wait here: two transactions must not both create the last one.
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
