// biome-ignore-all lint/a11y/useSemanticElements: rows are placed freely, which the elements of a table can't be
// biome-ignore-all lint/a11y/useFocusableInteractive: the links in the rows have the focus
// The rows in view. A row is 36 px high; below 800 px it has two lines.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocationNames } from '../../api/locations.ts'
import type { OverviewCheck } from '../../api/types.ts'
import { preferences } from '../../core/preferences.ts'
import { keepScroll, restoreScroll } from '../../core/scroll-memory.ts'
import { useStore } from '../../core/store.ts'
import { useIsNarrow } from '../../core/use-is-narrow.ts'
import { useKeys } from '../../shell/keys.ts'
import { NarrowRow, WideRow } from './check-row.tsx'
import { type Column, fitColumns } from './columns.tsx'
import type { Filters, SortColumn } from './filters.ts'

const rowHeight = { wide: 36, narrow: 68 }

interface CheckTableProps {
  list: { total: number; rowOf(index: number): OverviewCheck | undefined; isOld: boolean }
  filters: Filters
  onSort(column: SortColumn, order: 'asc' | 'desc'): void
  onTag(tag: string): void
  onRange(range: { first: number; last: number }): void
}

export function CheckTable({ list, filters, onSort, onTag, onRange }: CheckTableProps) {
  const isNarrow = useIsNarrow()
  const { hiddenColumns } = useStore(preferences)
  const body = useRef<HTMLDivElement>(null)
  const { top, width } = usePosition(body)
  const { shown, hasTags } = fitColumns(hiddenColumns, width)
  const height = isNarrow ? rowHeight.narrow : rowHeight.wide
  const virtual = useWindowVirtualizer({
    count: list.total,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height now
  useEffect(() => virtual.measure(), [height])
  useLayoutEffect(() => {
    restoreScroll('checks')
    return () => keepScroll('checks')
  }, [])
  const items = virtual.getVirtualItems()
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => onRange({ first, last }), [first, last, onRange])
  const move = useRowFocus(body, list.total, (index) => virtual.scrollToIndex(index, { align: 'auto' }))
  useKeys({ j: () => move(1), k: () => move(-1) })
  const nameOf = useLocationNames()
  const template = [
    'minmax(0, 1fr)',
    ...shown.map((column) => `${column.width}px`),
    ...(hasTags ? ['120px'] : []),
  ]
  return (
    <div
      role="table"
      aria-label="Checks"
      aria-rowcount={list.total + 1}
      className={list.isOld ? 'check-table old' : 'check-table'}
      style={{ '--columns': template.join(' ') } as React.CSSProperties}
    >
      {!isNarrow && <HeaderRow shown={shown} hasTags={hasTags} filters={filters} onSort={onSort} />}
      <div ref={body} role="rowgroup" className="rows" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, size }) => {
          const check = list.rowOf(index)
          const style = { transform: `translateY(${start - top}px)`, height: size }
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              data-index={index}
              className="row"
              style={style}
            >
              {check === undefined ? (
                <div role="cell" className="skeleton" />
              ) : isNarrow ? (
                <NarrowRow check={check} />
              ) : (
                <WideRow check={check} shown={shown} hasTags={hasTags} nameOf={nameOf} onTag={onTag} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** Where the rows begin on the page, and how wide they are. Filters above may wrap. */
function usePosition(element: React.RefObject<HTMLElement | null>) {
  const [position, setPosition] = useState<{ top: number; width: number | null }>({ top: 0, width: null })
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current === null) return
      const { top, width } = element.current.getBoundingClientRect()
      setPosition((known) => {
        const next = { top: Math.round(top + scrollY), width: Math.round(width) }
        return known.top === next.top && known.width === next.width ? known : next
      })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [element])
  return position
}

interface HeaderRowProps {
  shown: readonly Column[]
  hasTags: boolean
  filters: Filters
  onSort: CheckTableProps['onSort']
}

function HeaderRow({ shown, hasTags, filters, onSort }: HeaderRowProps) {
  const heads = [
    { id: 'name', label: 'Name', sort: 'name' as const, isNumber: false },
    ...shown,
    ...(hasTags ? [{ id: 'tags', label: 'Tags' }] : []),
  ]
  return (
    <div role="row" aria-rowindex={1} className="row head">
      {heads.map((head) => {
        const sort = 'sort' in head ? head.sort : undefined
        const isSorted = sort !== undefined && filters.sort === sort
        const next = isSorted && filters.order === 'asc' ? 'desc' : 'asc'
        return (
          <div
            key={head.id}
            role="columnheader"
            className={'isNumber' in head && head.isNumber ? 'num' : ''}
            {...(isSorted ? { 'aria-sort': filters.order === 'asc' ? 'ascending' : 'descending' } : {})}
          >
            {sort === undefined ? (
              head.label
            ) : (
              <button type="button" onClick={() => onSort(sort, next)}>
                {head.label}
                <span aria-hidden="true">{isSorted ? (filters.order === 'asc' ? ' ↑' : ' ↓') : ''}</span>
              </button>
            )}
          </div>
        )
      })}
    </div>
  )
}

/** Moves the focus from row to row, also to rows that aren't rendered yet. */
function useRowFocus(
  body: React.RefObject<HTMLDivElement | null>,
  total: number,
  scrollTo: (index: number) => void,
) {
  const wanted = useRef<number | null>(null)
  const focus = () => {
    const link = body.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] a`)
    if (wanted.current === null || !link) return
    link.focus({ preventScroll: true })
    wanted.current = null
  }
  // A row that was asked for may appear with any render.
  useEffect(focus)
  return (step: number) => {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]')
    const current = row === null || row === undefined ? -1 : Number(row.dataset.index)
    wanted.current = Math.max(0, Math.min(total - 1, current + step))
    scrollTo(wanted.current)
    focus()
  }
}
