import { describe, expect, it } from 'vitest'
import { pagesAround, rowAt } from './offset-pages.ts'

describe('pages by offset', () => {
  it.each([
    [0, 29, 10_000, [0, 1]],
    [65, 85, 10_000, [1, 2, 3]],
    [55, 65, 10_000, [0, 1, 2, 3]],
    [9_995, 9_999, 10_000, [332, 333]],
    [0, 9, 10, [0]],
    [0, 0, 0, [0]],
    // The list has become shorter than where the reader is.
    [500, 530, 120, []],
  ])('rows %d to %d of %d are on pages %j', (first, last, total, pages) => {
    expect(pagesAround(first, last, total)).toEqual(pages)
  })

  it('finds a row, or knows that it is not there yet', () => {
    const pages = new Map([[2, ['a', 'b']]])
    expect([rowAt(pages, 60), rowAt(pages, 61), rowAt(pages, 62), rowAt(pages, 0)]).toEqual([
      'a',
      'b',
      undefined,
      undefined,
    ])
  })
})
