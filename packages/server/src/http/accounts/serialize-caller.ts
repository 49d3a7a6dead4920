import type { Me } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import { listAccounts } from '../../storage/accounts/accounts.ts'
import { findApiKey, type Principal } from '../../storage/accounts/api-keys.ts'
import { findUser } from '../../storage/accounts/users.ts'
import type { Db } from '../../storage/core/db.ts'

/** The user or service key that calls, with its accounts. */
export async function serializeCaller(db: Db, principal: Principal): Promise<z.output<typeof Me>> {
  const accounts = await listAccounts(db, [...principal.roles.keys()])
  return {
    ...(await serializeIdentity(db, principal)),
    accounts: accounts.flatMap(({ id, name }) => {
      const role = principal.roles.get(id)
      return role === undefined ? [] : [{ id, name, role }]
    }),
  }
}

export async function serializeIdentity(
  db: Db,
  { userId, keyId }: Principal,
): Promise<Omit<z.output<typeof Me>, 'accounts'>> {
  if (userId === null) {
    const { id, name } = orNotFound(await findApiKey(db, keyId))
    return { id, name, email: null }
  }
  const { id, name, email } = orNotFound(await findUser(db, userId))
  return { id, name, email }
}
