import { describe, expect, it } from 'vitest'
import { isRecord, nonEmpty } from './objects.ts'

describe('isRecord', () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [[], false],
    [null, false],
    [undefined, false],
    ['text', false],
    [1, false],
  ])('%j: %s', (value, expected) => {
    expect(isRecord(value)).toBe(expected)
  })
})

describe('nonEmpty', () => {
  it('returns the same elements', () => {
    expect(nonEmpty([1, 2])).toEqual([1, 2])
  })

  it('refuses an empty list', () => {
    expect(() => nonEmpty([])).toThrow('The list is empty')
  })
})
