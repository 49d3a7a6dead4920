import { z } from 'zod'

/** In ascending order: a role includes the rights of those before it. */
export const roles = ['READ_ONLY', 'READ_RUN', 'READ_WRITE', 'ADMIN', 'OWNER'] as const

export type Role = (typeof roles)[number]

export const Role = z.enum(roles)

export function roleAllows(actual: Role, needed: Role): boolean {
  return roles.indexOf(actual) >= roles.indexOf(needed)
}
