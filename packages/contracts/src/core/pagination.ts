import { z } from 'zod'

const page = z.int().min(1).max(1_000_000_000).default(1).describe('Page number, from 1')

/** `limit`/`page` lists: the body is an array, the total is in the Content-Range header (spec §4). */
export const PagedQuery = z.object({
  limit: z.int().min(1).max(100).default(10).describe('Entries per page'),
  page,
})

/** Cursor lists: `{length, entries, nextId}`, ended by `nextId: null`. */
export const CursorQuery = z.object({
  limit: z.int().min(1).max(100).default(20).describe('Entries per page'),
  nextId: z.string().max(200).optional().describe('The nextId of the previous page'),
})

export const cursorPage = <T extends z.ZodType>(entry: T) =>
  z.object({
    length: z.int().min(0).describe('The number of entries on all pages'),
    entries: z.array(entry),
    nextId: z.string().nullable().describe('Where the next page begins; null at the end'),
  })

/** What a handler of a paged route returns. */
export interface Page<T> {
  items: T[]
  total: number
}
