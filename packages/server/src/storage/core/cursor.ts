// Cursor lists: newest first, and no entry is seen twice when others are added in between.
import { type RawBuilder, sql } from 'kysely'

/** The last entry of the page before. */
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
  /** How many there are in all. */
  total: number
  next: Cursor | null
}

/** Give it the entries already filtered by `isAfter` and ordered by `newestFirst`, and the count of all. */
export async function cursorPageOf<T extends { created_at: string; id: string }>(
  entries: { limit(limit: number): { execute(): Promise<T[]> } },
  count: { executeTakeFirstOrThrow(): Promise<{ total: number }> },
  { limit }: CursorRequest,
): Promise<CursorPage<T>> {
  const [found, { total }] = await Promise.all([
    entries.limit(limit + 1).execute(),
    count.executeTakeFirstOrThrow(),
  ])
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = found.length > limit && last !== undefined
  return { entries: shown, total, next: hasMore ? { createdAt: last.created_at, id: last.id } : null }
}

export const newestFirst = sql<string>`created_at desc, id`

export function isAfter({ after }: CursorRequest): RawBuilder<boolean> {
  if (after === null) return sql`true`
  const { createdAt, id } = after
  return sql`(created_at <= ${createdAt} and (created_at < ${createdAt} or id > ${id}))`
}
