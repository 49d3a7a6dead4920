import { describe, expect, it } from 'vitest'
import { diffLines } from './line-diff.ts'

const shown = (before: string, after: string) =>
  diffLines(before, after).map(
    ({ change, text }) => `${{ added: '+', removed: '-', same: ' ' }[change]}${text}`,
  )

describe('the difference of two texts', () => {
  it('is by line, removed before added', () => {
    expect(shown('a\nb\nc', 'a\nB\nc\nd')).toEqual([' a', '-b', '+B', ' c', '+d'])
    expect(shown('same', 'same')).toEqual([' same'])
    expect(shown('', 'x')).toEqual(['-', '+x'])
  })
})
