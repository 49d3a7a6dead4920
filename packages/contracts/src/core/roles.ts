import { z } from 'zod'

/** From least to most: a role may do what every role before it may do. */
export const roles = ['READ_ONLY', 'READ_RUN', 'READ_WRITE', 'ADMIN', 'OWNER'] as const

export type Role = (typeof roles)[number]

export const Role = z.enum(roles)

export function roleAllows(actual: Role, needed: Role): boolean {
  return roles.indexOf(actual) >= roles.indexOf(needed)
}
