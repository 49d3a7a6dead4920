import { ApiError } from '@vedette/contracts'

/** Throws a 404 if a lookup found nothing. */
export function orNotFound<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new ApiError('not_found')
  return value
}
