import { ApiError, type Role, roleAllows } from '@vedette/contracts'
import type { Principal } from '../../storage/accounts/api-keys.ts'

/** The account a request acts in, and what its key may do there. */
export interface AccountContext {
  id: string
  role: Role
}

export function authorizeAccount(
  principal: Principal,
  accountId: string,
  needed: Role = 'READ_ONLY',
): AccountContext {
  const id = accountId.toLowerCase()
  const role = principal.roles.get(id)
  // An account without right and one that does not exist look the same.
  if (role === undefined) throw new ApiError('not_found', { message: 'There is no such account.' })
  if (!roleAllows(role, needed)) {
    throw new ApiError('forbidden', { message: `This requires ${needed} or higher; the key has ${role}.` })
  }
  return { id, role }
}
