import { describe, expect, it } from 'vitest'
import { type JsonShape, jsonShapeOf, shapeChanges } from './json-shape.ts'

const shape = (value: unknown) => jsonShapeOf(JSON.stringify(value)) as JsonShape
const changes = (earlier: unknown[], now: unknown) =>
  shapeChanges(earlier.map(shape), shape(now)).map(
    ({ path, before, now: type }) => `${path} ${before} ${type}`,
  )

describe('the shape of a JSON document', () => {
  it('maps paths to types, with one path for all list items', () => {
    expect([...shape({ a: [{ id: 1 }, { id: 2, name: 'x' }], b: null })]).toEqual([
      ['$', 'object'],
      ['$.a', 'array'],
      ['$.a[]', 'object'],
      ['$.a[].id', 'number'],
      ['$.a[].name', 'string'],
      ['$.b', 'null'],
    ])
  })

  it('is null for other texts', () => {
    for (const text of ['', 'ok', '<html>', '"text"', '7', 'null', '{"a":'])
      expect(jsonShapeOf(text)).toBeNull()
  })

  it.each<[string, unknown[], unknown, string[]]>([
    ['the same', [{ a: 1 }], { a: 2 }, []],
    ['more than before', [{ a: 1 }], { a: 1, b: 2 }, []],
    ['a missing field', [{ a: 1, b: 2 }], { a: 1 }, ['$.b number null']],
    ['a field of another type', [{ a: 1 }], { a: '1' }, ['$.a number string']],
    ['a field that is null now', [{ a: 1 }], { a: null }, ['$.a number null']],
    ['a missing object, reported once', [{ a: { b: { c: 1 } } }], {}, ['$.a object null']],
    ['an object that became a list', [{ a: { b: 1 } }], { a: [1] }, ['$.a object array']],
    ['an empty list', [{ a: [{ id: 1 }] }], { a: [] }, []],
    ['a field that was not always there', [{ a: 1, b: 2 }, { a: 1 }], { a: 1 }, []],
    ['a field that was null before', [{ a: null }], { a: 1 }, []],
    ['another root', [{ a: 1 }], [1], ['$ object array']],
  ])('%s', (_name, earlier, now, expected) => {
    expect(changes(earlier, now)).toEqual(expected)
  })

  it('of a huge document is bounded', () => {
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 1]))
    expect(shape(wide).size).toBe(2_000)
    const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)
    expect(shape(deep).size).toBeLessThan(100)
  })
})
