import { describe, expect, it } from 'vitest'
import { countSelected, isSelected, nothingSelected, select } from './selection.ts'

describe('the selection', () => {
  it('adds and removes checks', () => {
    const some = select(nothingSelected, ['a', 'b'], true, [])
    expect(countSelected(some, 10)).toBe(2)
    const fewer = select(some, ['a'], false, [])
    expect(isSelected(fewer, 'a')).toBe(false)
    expect(isSelected(fewer, 'b')).toBe(true)
  })

  it('of all matching checks counts them, and becomes some of the loaded ones', () => {
    expect(countSelected({ kind: 'all' }, 9812)).toBe(9812)
    expect(isSelected({ kind: 'all' }, 'x')).toBe(true)
    const some = select({ kind: 'all' }, ['a'], false, ['a', 'b'])
    expect(some).toEqual({ kind: 'some', ids: new Set(['b']) })
  })
})
