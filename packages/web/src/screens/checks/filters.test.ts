import { describe, expect, it } from 'vitest'
import { isFiltered, noFilters, queryOf, readFilters, toggle, writeFilters } from './filters.ts'

const read = (text: string) => readFilters(new URLSearchParams(text))

describe('the filters in the address', () => {
  it.each([
    '',
    'query=shop&state=failing&state=degraded&type=URL&tag=a%2Cb&location=eu-west-1&groupId=7&muted=true&sort=p95&order=desc',
    'sort=group&columns=state%2Cp95',
  ])('are read and written again: %s', (text) => expect(writeFilters(read(text)).toString()).toBe(text))

  it('ignore what they don’t know', () => {
    const filters = read('state=sunny&type=FAX&groupId=x&sort=mood&order=up&other=1')
    expect(writeFilters(filters).toString()).toBe('')
    expect(isFiltered(filters)).toBe(false)
  })

  it('become the query of the API', () => {
    expect(queryOf(read('query=+shop+&muted=true'))).toEqual({
      ...{
        query: 'shop',
        muted: true,
        state: [],
        type: [],
        tag: [],
        location: [],
        sort: 'state',
        order: 'asc',
      },
    })
  })

  it('can be cleared, keeping the order of the list', () => {
    const filters = { ...read('query=x&groupId=7&sort=p95'), ...noFilters }
    expect(isFiltered(filters)).toBe(false)
    expect(filters.sort).toBe('p95')
  })
})

it('toggles a value', () => {
  expect(toggle(['a', 'b'], 'a')).toEqual(['b'])
  expect(toggle(['a'], 'b')).toEqual(['a', 'b'])
})
