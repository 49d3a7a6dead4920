// The authenticator app of a user, and the recovery codes.
import type { Selectable } from 'kysely'
import { countAll, type Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { isSealed, type Vault } from '../core/vault.ts'

export type TotpRow = Selectable<Tables['totp_factors']>

export async function findTotp(db: Db, userId: string): Promise<TotpRow | null> {
  const row = await db.selectFrom('totp_factors').selectAll().where('user_id', '=', userId).executeTakeFirst()
  return row ?? null
}

/** False: the user has one already. */
export async function insertTotp(
  tx: Db,
  vault: Vault,
  factor: { userId: string; secret: string; step: number; now: number },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('totp_factors')
    .values({
      user_id: factor.userId,
      secret: JSON.stringify(vault.seal(factor.userId, factor.secret)),
      last_step: factor.step,
      enrolled_at: new Date(factor.now),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export function unsealTotpSecret(vault: Vault, { user_id, secret }: TotpRow): string {
  if (!isSealed(secret)) throw new Error('The secret of an authenticator app is not sealed')
  return vault.unseal(user_id, secret)
}

/** False: a code of this step or a later one was used before. */
export async function spendTotpStep(db: Db, userId: string, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('totp_factors')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** With its recovery codes. False: there is none. */
export async function deleteTotp(tx: Db, userId: string): Promise<boolean> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const { numDeletedRows } = await tx
    .deleteFrom('totp_factors')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function replaceRecoveryCodes(
  tx: Db,
  userId: string,
  hashes: readonly Buffer[],
  now: number,
): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  const created_at = new Date(now)
  await tx
    .insertInto('recovery_codes')
    .values(hashes.map((hash) => ({ user_id: userId, hash, created_at })))
    .execute()
}

/** False: there is no such code, or it was used before. */
export async function spendRecoveryCode(db: Db, userId: string, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function countRecoveryCodes(db: Db, userId: string): Promise<number> {
  const { total } = await db
    .selectFrom('recovery_codes')
    .select(countAll)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return total
}
