import { describe, expect, it } from 'vitest'
import { pagesAround, rowAt } from './offset-pages.ts'

describe('pages by offset', () => {
  it.each([
    [0, 30, 10_000, [0, 1]],
    [125, 145, 10_000, [1, 2, 3]],
    [95, 105, 10_000, [0, 1, 2, 3]],
    [9_980, 9_999, 10_000, [198, 199]],
    [0, 9, 10, [0]],
    [0, 0, 0, [0]],
    // The list has become shorter than where the reader is.
    [500, 530, 120, []],
  ])('rows %d to %d of %d are on pages %j', (first, last, total, pages) => {
    expect(pagesAround(first, last, total)).toEqual(pages)
  })

  it('finds a row, or knows that it is not there yet', () => {
    const pages = new Map([[2, ['a', 'b']]])
    expect([rowAt(pages, 100), rowAt(pages, 101), rowAt(pages, 102), rowAt(pages, 0)]).toEqual([
      'a',
      'b',
      undefined,
      undefined,
    ])
  })
})
