import { describe, expect, it } from 'vitest'
import { pagesAround, rowAt } from './offset-pages.ts'

describe('pages by offset', () => {
  it.each([
    [0, 30, 10_000, [0, 1]],
    [250, 290, 10_000, [1, 2, 3]],
    [195, 205, 10_000, [0, 1, 2, 3]],
    [9_980, 9_999, 10_000, [98, 99]],
    [0, 9, 10, [0]],
    [0, 0, 0, [0]],
    // The list has become shorter than where the reader is.
    [500, 530, 120, []],
  ])('rows %d to %d of %d are on pages %j', (first, last, total, pages) => {
    expect(pagesAround(first, last, total)).toEqual(pages)
  })

  it('finds a row, or knows that it is not there yet', () => {
    const pages = new Map([[2, ['a', 'b']]])
    expect([rowAt(pages, 200), rowAt(pages, 201), rowAt(pages, 202), rowAt(pages, 0)]).toEqual([
      'a',
      'b',
      undefined,
      undefined,
    ])
  })
})
