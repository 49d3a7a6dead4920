// Roles by the groups that the identity provider knows.
import { Role, type Role as RoleName } from '@vedette/contracts'
import type { Claims } from './oidc/provider.ts'

export interface RoleMapping {
  claim: string
  /** In order: the first that fits counts. */
  entries: { group: string; role: RoleName }[]
}

/** `text`: group=ROLE, separated by commas, as the setting has it. */
export function readRoleMapping(claim: string, text: string | undefined): RoleMapping {
  const entries = (text ?? '').split(',').flatMap((entry) => {
    const [group = '', role] = entry.split('=').map((part) => part.trim())
    return group === '' ? [] : [{ group, role: Role.parse(role) }]
  })
  return { claim, entries }
}

/** Null: none fits. */
export function mapRole({ claim, entries }: RoleMapping, claims: Claims): RoleName | null {
  const groups = groupsIn(claims, claim)
  return entries.find(({ group }) => group === '*' || groups.includes(group))?.role ?? null
}

function groupsIn(claims: Claims, claim: string): string[] {
  const value = claims[claim] ?? claim.split('.').reduce<unknown>(readField, claims)
  const list = Array.isArray(value) ? value : [value]
  return list.filter((item) => typeof item === 'string')
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}
