import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseQuery, shapeQuery } from './query.ts'

const schema = z.object({
  tag: z.array(z.string()).optional(),
  ids: z.array(z.number()).optional(),
  limit: z.int().default(10),
  on: z.boolean().optional(),
  startsAt: z.object({ gte: z.string().optional(), lt: z.string().optional() }).optional(),
  search: z.string().optional(),
})

describe('shapeQuery', () => {
  it.each([
    ['tag=a,b', { tag: ['a', 'b'] }],
    ['tag=a&tag=b', { tag: ['a', 'b'] }],
    ['tag[]=a&tag[]=b', { tag: ['a', 'b'] }],
    ['tag%5B%5D=a', { tag: ['a'] }],
    ['tag=a,b&tag=c', { tag: ['a,b', 'c'] }],
    ['ids=1,2', { ids: [1, 2] }],
    ['limit=5', { limit: 5 }],
    ['limit=', { limit: '' }],
    ['tag=', {}],
    ['limit=0x10', { limit: '0x10' }],
    ['on=true', { on: true }],
    ['on=yes', { on: 'yes' }],
    ['startsAt[gte]=2026-01-01', { startsAt: { gte: '2026-01-01' } }],
    ['search=', { search: '' }],
    ['colour=blue&__proto__=x', {}],
  ])('%s', (text, expected) => {
    expect(shapeQuery(schema, parseQuery(text))).toEqual(expected)
  })
})
