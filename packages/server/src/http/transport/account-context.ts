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
  // The same response for an account that doesn't exist and one the key has no role in.
  if (role === undefined)
    throw new ApiError('not_found', { message: 'This account does not exist, or the key has no role in it.' })
  if (!roleAllows(role, needed)) {
    throw new ApiError('forbidden', { message: `This requires ${needed} or higher; the key has ${role}.` })
  }
  return { id, role }
}

/** The user that calls. */
export function userOf({ userId }: Principal): string {
  if (userId !== null) return userId
  throw new ApiError('forbidden', { message: 'A service key has no user. Call this route with a user key.' })
}
