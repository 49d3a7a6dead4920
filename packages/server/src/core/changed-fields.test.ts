import { expect, it } from 'vitest'
import { changedFields } from './changed-fields.ts'

it('names the fields that differ, with both values', () => {
  const before = { id: 1, name: 'Shop', tags: ['a'], request: { url: 'x', method: 'GET' }, updated_at: '1' }
  const after = {
    id: 1,
    name: 'Shop',
    tags: ['a', 'b'],
    request: { url: 'y', method: 'GET' },
    updated_at: '2',
  }
  expect(changedFields(before, after)).toEqual([
    { field: 'tags', before: ['a'], after: ['a', 'b'] },
    { field: 'request.url', before: 'x', after: 'y' },
  ])
  expect(changedFields(before, before)).toEqual([])
})

it('lists all fields of what is created or deleted', () => {
  const shop = { id: 1, name: 'Shop', request: { url: 'x' }, group: null }
  expect(changedFields(null, shop)).toEqual([
    { field: 'name', before: null, after: 'Shop' },
    { field: 'request.url', before: null, after: 'x' },
  ])
  expect(changedFields(shop, null)).toEqual([
    { field: 'name', before: 'Shop', after: null },
    { field: 'request.url', before: 'x', after: null },
  ])
})

it('shortens long values, and lists at most 60 fields', () => {
  const [change] = changedFields({ script: '' }, { script: 'x'.repeat(5_000) })
  expect(String(change?.after)).toHaveLength(2_001)
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, index]))
  expect(changedFields({}, many)).toHaveLength(60)
})
