// The pages of the list that are visible. Until the first page of other filters is there, the old rows stay.
import { type QueryClient, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import type { OverviewCheck, OverviewPage } from '../../api/types.ts'
import { pageSize, pagesAround, rowAt } from '../../core/offset-pages.ts'
import { useAfterPaint } from '../../core/use-after-paint.ts'
import { useSame } from '../../core/use-same.ts'
import { type Filters, queryOf, writeFilters } from './filters.ts'

export const checksKey = 'overview-checks'

interface CheckPages {
  /** Null: nothing is known yet. */
  total: number | null
  counts: OverviewPage['counts'] | null
  groups: OverviewPage['groups']
  rows: readonly OverviewCheck[]
  rowOf(index: number): OverviewCheck | undefined
  /** The ids of the rows in view. */
  shownIds: readonly string[]
  /** The rows belong to earlier filters. */
  isOld: boolean
  error: Error | null
  retry(): void
  /** Also of rows that aren't loaded. */
  idsBetween(first: number, last: number): Promise<string[]>
}

export function useCheckPages(filters: Filters, range: { first: number; last: number }): CheckPages {
  const queries = useQueryClient()
  const first = useQuery(pageQuery(filters, 0))
  const shown = useRef(filters)
  if (!first.isPlaceholderData && first.data !== undefined) shown.current = filters
  const total = first.data?.total ?? null
  const wanted = useWantedPages(shown.current, range, total ?? 0)
  const fetched = useQueries({ queries: wanted.map((page) => pageQuery(page.filters, page.number)) })
  const pages = new Map([[0, first.data?.entries ?? []]])
  for (const [index, page] of wanted.entries())
    if (page.filters === shown.current) pages.set(page.number, fetched[index]?.data?.entries ?? [])
  const rows = useSame([...pages.values()].flat())
  const rowOf = (index: number) => rowAt(pages, index)
  const shownIds = Array.from(
    { length: range.last - range.first + 1 },
    (_, index) => rowOf(range.first + index)?.id,
  )
  return {
    total,
    counts: first.data?.counts ?? null,
    groups: first.data?.groups ?? [],
    rows,
    rowOf,
    shownIds: shownIds.filter((id) => id !== undefined),
    isOld: first.isPlaceholderData,
    error: first.error ?? fetched.find(({ error }) => error !== null)?.error ?? null,
    retry: () => first.refetch(),
    async idsBetween(from, to) {
      const wanted = pagesAround(from, to, total ?? 0)
      const loaded = await Promise.all(
        wanted.map((number) =>
          queries.fetchQuery({ ...pageQuery(shown.current, number), staleTime: 30_000 }),
        ),
      )
      const all = new Map(wanted.map((number, index) => [number, loaded[index]?.entries ?? []]))
      return Array.from({ length: to - from + 1 }, (_, index) => rowAt(all, from + index)?.id).filter(
        (id) => id !== undefined,
      )
    },
  }
}

/**
 * All but the first page: those in view, and one before and after them. The latter are those of earlier filters until the rows in
 * view are painted: other queries would render the screen once more before.
 */
function useWantedPages(filters: Filters, range: { first: number; last: number }, total: number) {
  const painted = useAfterPaint(filters)
  const inView = pagesAround(range.first, range.last, total, 0)
  return pagesAround(range.first, range.last, total)
    .filter((number) => number > 0)
    .map((number) => ({ filters: inView.includes(number) ? filters : painted, number }))
}

/** Asks for the first page before the screen is rendered for these filters: the server works meanwhile. */
export function askAhead(queries: QueryClient, filters: Filters): void {
  void queries.prefetchQuery(pageQuery(filters, 0))
}

/** The stream of live events reads the checks every one to two seconds, so keys needn't wait for that. */
const typingMaxAgeMs = 4_000

function pageQuery(filters: Filters, number: number) {
  const query = { ...queryOf(filters), limit: pageSize, offset: number * pageSize }
  const queryKey = [checksKey, writeFilters(filters).toString(), number]
  return {
    queryKey,
    queryFn: ({ signal, client }: { signal: AbortSignal; client: QueryClient }) => {
      const known = client.getQueriesData<OverviewPage>({ queryKey: [checksKey] })
      // What is asked for again has changed, and a screen that opens may be the way to something new.
      const isTyping =
        filters.query !== '' &&
        client.getQueryData(queryKey) === undefined &&
        known.some(([, page]) => page !== undefined)
      const maxAge = isTyping ? typingMaxAgeMs : 0
      return call('GET /v1/overview/checks', { query: { ...query, maxAge } }, signal)
    },
  }
}
