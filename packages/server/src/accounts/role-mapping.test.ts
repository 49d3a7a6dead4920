import { expect, it } from 'vitest'
import { mapRole, readRoleMapping } from './role-mapping.ts'

const mapping = (claim: string, text?: string) => readRoleMapping(claim, text)

it.each([
  ['groups', 'admins=ADMIN,devs=READ_WRITE', { groups: ['devs', 'admins'] }, 'ADMIN'],
  ['groups', 'devs = READ_WRITE , *=READ_ONLY', { groups: ['devs'] }, 'READ_WRITE'],
  ['groups', 'devs=READ_WRITE,*=READ_ONLY', { groups: [] }, 'READ_ONLY'],
  ['groups', 'devs=READ_WRITE,*=READ_ONLY', {}, 'READ_ONLY'],
  ['groups', 'devs=READ_WRITE', { groups: ['others'] }, null],
  ['role', 'devs=READ_WRITE', { role: 'devs' }, 'READ_WRITE'],
  ['realm_access.roles', 'devs=READ_RUN', { realm_access: { roles: ['devs'] } }, 'READ_RUN'],
  ['https://example.com/roles', 'devs=READ_RUN', { 'https://example.com/roles': ['devs'] }, 'READ_RUN'],
  ['constructor.name', 'Object=ADMIN', {}, null],
  ['groups', 'devs=ADMIN', { groups: [{ devs: true }, 1, null] }, null],
  ['groups', undefined, { groups: ['devs'] }, null],
])('%s by %s', (claim, text, claims, role) => {
  expect(mapRole(mapping(claim, text), claims)).toBe(role)
})
