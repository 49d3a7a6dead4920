import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Comparison, compare } from './comparisons.ts'
import { jsonText, showValue } from './show-value.ts'

const missing = undefined
const holds = true
const fails = false

describe('a comparison', () => {
  it.each<[Comparison, unknown, string, boolean]>([
    ['EQUALS', 200, '200', holds],
    ['EQUALS', 200, '200.0', holds],
    ['EQUALS', 200, ' 2e2 ', holds],
    ['EQUALS', 16, '0x10', fails],
    ['EQUALS', 200, '', fails],
    ['EQUALS', 'ok', 'ok', holds],
    ['EQUALS', 'ok', 'OK', fails],
    ['EQUALS', '5', '5.0', fails],
    ['EQUALS', '', '', holds],
    ['EQUALS', true, 'true', holds],
    ['EQUALS', false, '0', fails],
    ['EQUALS', null, 'null', holds],
    ['EQUALS', null, '', fails],
    ['EQUALS', [1, 'a'], '[1, "a"]', holds],
    ['EQUALS', { a: 1, b: [2] }, '{"b":[2],"a":1}', holds],
    ['EQUALS', { a: 1 }, '{"a":2}', fails],
    ['EQUALS', [], '{}', fails],
    ['EQUALS', { a: 1 }, 'not json', fails],
    ['EQUALS', missing, '', fails],
    ['EQUALS', missing, 'undefined', fails],
    ['NOT_EQUALS', 200, '404', holds],
    ['NOT_EQUALS', 'a', 'a', fails],
    ['NOT_EQUALS', missing, 'a', holds],
    ['GREATER_THAN', 5, '4.5', holds],
    ['GREATER_THAN', 5, '5', fails],
    ['GREATER_THAN', '12', '5', holds],
    ['GREATER_THAN', 'many', '5', fails],
    ['GREATER_THAN', 5, 'few', fails],
    ['GREATER_THAN', null, '-1', fails],
    ['GREATER_THAN', [9], '1', fails],
    ['GREATER_THAN', missing, '-1', fails],
    ['LESS_THAN', -3, '-2', holds],
    ['LESS_THAN', '1.5', '2', holds],
    ['LESS_THAN', true, '2', fails],
    ['LESS_THAN', missing, '2', fails],
    ['CONTAINS', 'hello world', 'lo w', holds],
    ['CONTAINS', 'hello', 'H', fails],
    ['CONTAINS', ['a', 'b'], 'b', holds],
    ['CONTAINS', ['production'], 'prod', fails],
    ['CONTAINS', [1, 2], '2', holds],
    ['CONTAINS', [{ a: 1 }], '{"a":1}', holds],
    ['CONTAINS', { a: { b: 'deep' } }, '"deep"', holds],
    ['CONTAINS', 12_345, '234', holds],
    ['CONTAINS', missing, '', fails],
    ['NOT_CONTAINS', 'hello', 'bye', holds],
    ['NOT_CONTAINS', ['a'], 'a', fails],
    ['NOT_CONTAINS', missing, 'a', holds],
    ['HAS_KEY', { a: null }, 'a', holds],
    ['HAS_KEY', { a: 1 }, 'toString', fails],
    ['HAS_KEY', {}, '__proto__', fails],
    ['HAS_KEY', ['x'], '0', fails],
    ['HAS_KEY', 'text', 'length', fails],
    ['HAS_KEY', missing, 'a', fails],
    ['NOT_HAS_KEY', { a: 1 }, 'b', holds],
    ['NOT_HAS_KEY', 'text', 'a', holds],
    ['NOT_HAS_KEY', { a: 1 }, 'a', fails],
    ['HAS_VALUE', { a: 1, b: 'x' }, 'x', holds],
    ['HAS_VALUE', ['x', 1], '1', holds],
    ['HAS_VALUE', 'x', 'x', holds],
    ['HAS_VALUE', { a: { b: 'x' } }, 'x', fails],
    ['HAS_VALUE', missing, 'x', fails],
    ['NOT_HAS_VALUE', { a: 1 }, '2', holds],
    ['NOT_HAS_VALUE', ['x'], 'x', fails],
    ['IS_EMPTY', '', '', holds],
    ['IS_EMPTY', [], '', holds],
    ['IS_EMPTY', {}, '', holds],
    ['IS_EMPTY', null, '', holds],
    ['IS_EMPTY', missing, '', holds],
    ['IS_EMPTY', 0, '', fails],
    ['IS_EMPTY', false, '', fails],
    ['IS_EMPTY', ' ', '', fails],
    ['NOT_EMPTY', [0], '', holds],
    ['NOT_EMPTY', 0, '', holds],
    ['NOT_EMPTY', missing, '', fails],
    ['IS_NULL', null, '', holds],
    ['IS_NULL', missing, '', holds],
    ['IS_NULL', '', '', fails],
    ['IS_NULL', 0, '', fails],
    ['NOT_NULL', '', '', holds],
    ['NOT_NULL', false, '', holds],
    ['NOT_NULL', null, '', fails],
    ['NOT_NULL', missing, '', fails],
  ])('%s of %j with %j: %s', (comparison, value, target, expected) => {
    expect(compare(value, comparison, target) === null).toBe(expected)
  })

  it.each<[Comparison, unknown, string, string, string | null]>([
    ['EQUALS', 500, '200', 'to equal 200', null],
    ['EQUALS', missing, '200', 'to equal "200"', null],
    ['IS_EMPTY', 'x', 'ignored', 'to be empty', null],
    ['GREATER_THAN', 'x', '1', 'to be greater than "1"', "it isn't a number"],
    ['LESS_THAN', 1, 'x', 'to be less than "x"', "the target isn't a number"],
    ['HAS_KEY', { a: 1 }, 'b', 'to have the key "b"', null],
  ])("%s explains why it doesn't hold", (comparison, value, target, expectation, reason) => {
    expect(compare(value, comparison, target)).toEqual({ expectation, reason })
  })

  it('keeps its message short however large the value is', () => {
    expect(compare('x'.repeat(1_000_000), 'EQUALS', 'y'.repeat(10_000))?.expectation.length).toBeLessThan(500)
  })

  it('gives up on documents that nest too deeply instead of failing itself', () => {
    const text = `${'['.repeat(9000)}${']'.repeat(9000)}`
    expect(compare(JSON.parse(text), 'CONTAINS', text)).not.toBeNull()
    expect(() => compare(JSON.parse(text), 'EQUALS', text)).not.toThrow()
  })

  it('and its negation never hold both', () => {
    const pairs: [Comparison, Comparison][] = [
      ['EQUALS', 'NOT_EQUALS'],
      ['CONTAINS', 'NOT_CONTAINS'],
      ['HAS_KEY', 'NOT_HAS_KEY'],
      ['HAS_VALUE', 'NOT_HAS_VALUE'],
      ['IS_EMPTY', 'NOT_EMPTY'],
      ['IS_NULL', 'NOT_NULL'],
    ]
    fc.assert(
      fc.property(fc.constantFrom(...pairs), fc.jsonValue(), fc.string(), ([one, other], value, target) => {
        expect(compare(value, one, target) === null).not.toBe(compare(value, other, target) === null)
      }),
    )
  })

  it('finds every JSON value equal to its own text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const target = typeof value === 'string' ? value : JSON.stringify(value)
        expect(compare(JSON.parse(JSON.stringify(value)), 'EQUALS', target)).toBeNull()
      }),
    )
  })
})

describe('a value that is shown', () => {
  it('is the JSON text of a document', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(jsonText(value, 1e9)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('never exceeds the maximum length', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 2, max: 30 }), (value, maxChars) => {
        const shown = showValue(value, maxChars)
        return typeof shown !== 'string' || shown.length <= maxChars
      }),
    )
  })

  it('is not written out further than shown', () => {
    const large = Array.from({ length: 1_000_000 }, () => ({ a: 'b' }))
    expect(showValue(large, 20)).toBe('[{"a":"b"},{"a":"b"…')
  })
})
