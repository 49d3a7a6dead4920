// Creates and updates variables, in the transaction of the caller.
import {
  ApiError,
  type BodyOf,
  type createVariable,
  invalidInput,
  type updateVariable,
} from '@vedette/contracts'
import { orNotFound } from '../core/or-not-found.ts'
import * as variables from '../storage/checks/variables.ts'
import { type Db, violatedUnique } from '../storage/core/db.ts'
import type { ChangeContext } from './change-checks.ts'

export async function addVariable(
  tx: Db,
  { accountId, vault }: ChangeContext,
  values: BodyOf<typeof createVariable>,
): Promise<void> {
  try {
    await variables.insertVariable(tx, vault, accountId, values)
  } catch (error) {
    if (violatedUnique(error) === null) throw error
    throw new ApiError('key_taken', { attributes: { key: 'is taken already' } })
  }
}

/** Returns the variable with its new value; the value of a secret only if it was just sent. */
export async function changeVariable(
  tx: Db,
  { accountId, vault, clock }: ChangeContext,
  key: string,
  change: BodyOf<typeof updateVariable>,
) {
  const stored = orNotFound(await variables.findVariable(tx, vault, accountId, key, { lock: true }))
  if (stored.secret && change.secret === false) {
    throw invalidInput([{ path: ['secret'], message: 'cannot be turned off: a secret stays secret' }])
  }
  const values = {
    value: change.value ?? stored.value,
    locked: change.locked ?? stored.locked,
    secret: change.secret ?? stored.secret,
  }
  const updated_at = new Date(clock.now())
  await variables.updateVariable(tx, vault, accountId, stored.key, { ...values, updated_at })
  return { key: stored.key, ...values, value: values.secret ? (change.value ?? null) : values.value }
}
