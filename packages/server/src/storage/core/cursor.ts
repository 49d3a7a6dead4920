// Cursor lists, newest first: entries that are added between two pages don't shift the second one.
import { type RawBuilder, sql } from 'kysely'

/** The last entry of the previous page. */
export interface Cursor {
  createdAt: string
  id: string
}

export interface CursorRequest {
  limit: number
  after: Cursor | null
}

export interface CursorPage<T> {
  entries: T[]
  /** The number of entries on all pages. */
  total: number
  next: Cursor | null
}

/** `entries` must be filtered by `isAfter` and ordered by `newestFirst`; `count` counts those of all pages. */
export async function cursorPageOf<T extends { created_at: string; id: string }>(
  entries: { limit(limit: number): { execute(): Promise<T[]> } },
  count: { executeTakeFirstOrThrow(): Promise<{ total: number }> },
  { limit }: CursorRequest,
): Promise<CursorPage<T>> {
  const [rows, { total }] = await Promise.all([
    entries.limit(limit + 1).execute(),
    count.executeTakeFirstOrThrow(),
  ])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { entries: page, total, next: hasMore ? { createdAt: last.created_at, id: last.id } : null }
}

export const newestFirst = sql<string>`created_at desc, id`

export function isAfter({ after }: CursorRequest): RawBuilder<boolean> {
  if (after === null) return sql`true`
  const { createdAt, id } = after
  return sql`(created_at <= ${createdAt} and (created_at < ${createdAt} or id > ${id}))`
}
