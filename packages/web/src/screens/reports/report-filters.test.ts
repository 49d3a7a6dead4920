import { expect, it } from 'vitest'
import { isFiltered, queryOf, readFilters, writeFilters } from './report-filters.ts'

it('survives the address, beside the period', () => {
  const search = new URLSearchParams(
    'period=7d&query=shop&type=URL&type=API&tag=web&groupId=3&sort=p95&order=desc&page=2',
  )
  const filters = readFilters(search)
  expect(filters).toEqual({
    ...{ query: 'shop', type: ['URL', 'API'], tag: ['web'], groupId: 3 },
    ...{ sort: 'p95', order: 'desc', page: 2 },
  })
  expect(writeFilters(search, filters).get('period')).toBe('7d')
  expect(readFilters(writeFilters(search, filters))).toEqual(filters)
  expect(isFiltered(filters)).toBe(true)
})

it('ignores what it does not know', () => {
  const filters = readFilters(new URLSearchParams('type=NOTHING&groupId=x&sort=luck&page=-1'))
  expect(isFiltered(filters)).toBe(false)
  expect(queryOf(filters)).toEqual({ type: [], tag: [], sort: 'availability', order: 'asc' })
  expect(filters.page).toBe(1)
})
