import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { updateOf } from './update.ts'

describe('updateOf', () => {
  const create = z.object({
    name: z.string().min(1),
    width: z.enum(['FULL', '960PX']).default('FULL'),
    note: z.string().nullable().default(null),
    nested: z.object({ amount: z.int().default(3) }).default({ amount: 3 }),
  })

  it('applies no defaults', () => {
    expect(updateOf(create).parse({})).toEqual({})
    expect(updateOf(create).parse({ note: null })).toEqual({ note: null })
  })

  it('still validates what was sent, and completes nested objects', () => {
    expect(updateOf(create).safeParse({ name: '' }).success).toBe(false)
    expect(updateOf(create).parse({ nested: {} })).toEqual({ nested: { amount: 3 } })
  })
})
