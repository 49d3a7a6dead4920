import { expect, it } from 'vitest'
import { readAuditFilters, toAuditQuery } from './audit-filters.ts'

const queryOf = (search: string) => toAuditQuery(readAuditFilters(new URLSearchParams(search)))

it('takes what the API knows, and leaves out the rest', () => {
  const person = '9b1f5a3e-6d0c-4b7e-8f53-2f0f4d3a7c11'
  expect(queryOf(`person=${person}&kind=Checks&action=update&outcome=done&resource=c1`)).toEqual({
    ...{ actorId: person, kind: 'Checks', action: 'update', outcome: 'done', resourceId: 'c1' },
  })
  expect(queryOf('person=x&action=y&outcome=z&from=yesterday')).toEqual({})
})

it('includes the last day', () => {
  const { from, to } = queryOf('from=2026-11-16&to=2026-11-16')
  expect((to ?? 0) - (from ?? 0)).toBe(86_400)
})
