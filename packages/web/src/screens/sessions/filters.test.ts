import { expect, it } from 'vitest'
import { isFiltered, noFilters, queryOf, readFilters, writeFilters } from './filters.ts'

it('survives the address', () => {
  const filters = {
    ...noFilters,
    ...{ textSearch: 'release 1', kind: 'test' as const, states: ['failed' as const, 'running' as const] },
    ...{ provider: 'GITHUB' as const, branch: 'main', commit: '9b1f' },
  }
  expect(readFilters(new URLSearchParams(writeFilters(filters).toString()))).toEqual(filters)
  expect(isFiltered(filters)).toBe(true)
})

it('ignores what it does not know', () => {
  const filters = readFilters(new URLSearchParams('kind=other&state=broken&provider=NOBODY'))
  expect(filters).toEqual(noFilters)
  expect(isFiltered(filters)).toBe(false)
  expect(queryOf(filters)).toEqual({})
})
