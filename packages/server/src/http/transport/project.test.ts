import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { projector } from './project.ts'

describe('projector', () => {
  it('keeps what the schema names and drops the rest, at every depth', () => {
    const project = projector(
      z.object({ a: z.string(), list: z.array(z.object({ b: z.number() })).nullable() }),
    )
    expect(project({ a: 'x', secret: 1, list: [{ b: 1, secret: 2 }] })).toEqual({ a: 'x', list: [{ b: 1 }] })
    expect(project({ a: 'x', list: null })).toEqual({ a: 'x', list: null })
  })

  it('chooses the option of a discriminated union', () => {
    const project = projector(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a'), x: z.number() }),
        z.object({ kind: z.literal('b'), y: z.number() }),
      ]),
    )
    expect(project({ kind: 'b', x: 1, y: 2 })).toEqual({ kind: 'b', y: 2 })
    expect(() => project({ kind: 'c' })).toThrow('No schema for kind c')
  })

  it('strips inside plain unions, optionals and defaults', () => {
    const project = projector(
      z.object({ u: z.union([z.literal('FALLBACK'), z.object({ a: z.number() })]).optional() }),
    )
    expect(project({ u: 'FALLBACK' })).toEqual({ u: 'FALLBACK' })
    expect(project({ u: { a: 1, b: 2 } })).toEqual({ u: { a: 1 } })
  })

  it('leaves open objects open', () => {
    expect(projector(z.looseObject({ a: z.number() }))({ a: 1, b: 2 })).toEqual({ a: 1, b: 2 })
    expect(projector(z.record(z.string(), z.unknown()))({ b: 2 })).toEqual({ b: 2 })
  })
})
