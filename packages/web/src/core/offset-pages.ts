// Rows of a long list that is fetched in pages by offset.

/** What a screen shows, and a little more: a small page is there sooner, and is read without a long frame. */
export const pageSize = 30

/** The pages that hold the rows from `first` to `last`, and `more` before and after them. */
export function pagesAround(first: number, last: number, total: number, more = 1): number[] {
  const lastPage = Math.max(0, Math.ceil(total / pageSize) - 1)
  const from = Math.max(0, Math.floor(first / pageSize) - more)
  const to = Math.min(lastPage, Math.floor(Math.max(first, last) / pageSize) + more)
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)
}

/** Undefined: its page isn't there yet. */
export function rowAt<T>(pages: ReadonlyMap<number, readonly T[]>, index: number): T | undefined {
  return pages.get(Math.floor(index / pageSize))?.[index % pageSize]
}
