// biome-ignore-all lint/a11y/useSemanticElements: rows are placed freely, which the elements of a table can't be
// biome-ignore-all lint/a11y/useFocusableInteractive: the links in the rows have the focus
// The rows in view. A row is 36 px high; below 800 px it has two lines.
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useLocationNames } from '../../api/locations.ts'
import type { OverviewCheck } from '../../api/types.ts'
import { changePreferences, preferences } from '../../core/preferences.ts'
import { keepScroll, restoreScroll } from '../../core/scroll-memory.ts'
import { useIsNarrow } from '../../core/use-is-narrow.ts'
import { useLasting } from '../../core/use-lasting.ts'
import { useLatest } from '../../core/use-latest.ts'
import { useKeys } from '../../shell/keys.ts'
import { CheckRow, GroupRow, type RowActions } from './check-row.tsx'
import { type Column, fitColumns } from './columns.tsx'
import { type Filters, type SortColumn, toggle } from './filters.ts'
import { type Group, groupKey, type Rows } from './group-rows.ts'
import { RowMenu } from './row-menu.tsx'
import { countSelected, isSelected, nothingSelected, type Selection, select } from './selection.ts'

/** Most responses are there sooner. */
const fadeAfterMs = 200

const rowHeight = { wide: 36, narrow: 68, group: 44 }

interface CheckTableProps {
  list: {
    total: number
    rowOf(index: number): OverviewCheck | undefined
    isOld: boolean
    idsBetween(first: number, last: number): Promise<string[]>
  }
  /** Checks, and groups if the list is sorted by them. */
  rows: Rows
  filters: Filters
  hiddenColumns: readonly string[]
  selection: Selection
  loadedIds: readonly string[]
  onSelect(selection: Selection): void
  onSort(column: SortColumn, order: 'asc' | 'desc'): void
  onTag(tag: string): void
  /** The checks in view, by their index in the list. */
  onRange(range: { first: number; last: number }): void
}

export function CheckTable(props: CheckTableProps) {
  const { list, rows, filters, hiddenColumns, selection, onSort, onRange } = props
  const isNarrow = useIsNarrow()
  const isFaded = useLasting(list.isOld, fadeAfterMs)
  const body = useRef<HTMLDivElement>(null)
  const { top, width } = usePosition(body)
  const hidden = hiddenColumns.join()
  const { shown, hasTags } = useMemo(() => fitColumns(hidden.split(','), width), [hidden, width])
  const height = isNarrow ? rowHeight.narrow : rowHeight.wide
  const isGrouped = filters.sort === 'group'
  const virtual = useWindowVirtualizer({
    count: rows.total,
    estimateSize: (index) => (isNarrow && rows.rowAt(index).kind === 'group' ? rowHeight.group : height),
    // Fingers scroll further at once.
    overscan: isNarrow ? 5 : 3,
    scrollMargin: top,
  })
  const heights = isNarrow && isGrouped ? rows : height
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height now
  useEffect(() => virtual.measure(), [heights])
  useLayoutEffect(() => {
    restoreScroll('checks')
    return () => keepScroll('checks')
  }, [])
  const items = virtual.getVirtualItems()
  const { first, last } = checksIn(rows, items)
  useEffect(() => onRange({ first, last }), [first, last, onRange])
  const move = useRowFocus(body, rows.total, (index) => virtual.scrollToIndex(index, { align: 'auto' }))
  const pick = usePick(props)
  const [menu, setMenu] = useState<{ position: number; check: OverviewCheck; opener: HTMLElement } | null>(
    null,
  )
  const onSelect = useLatest(pick)
  const onMenu = useCallback<RowActions['onMenu']>(
    (position, check, opener) => setMenu({ position, check, opener }),
    [],
  )
  const onTag = useLatest(props.onTag)
  const [, navigate] = useLocation()
  const onOpen = useLatest<Parameters<RowActions['onOpen']>>((event, path) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    event.preventDefault()
    navigate(path)
  })
  const selectFocused = () => {
    const row = rows.rowAt(focusedRow() ?? -1)
    if (row?.kind === 'check') pick(row.index, false)
  }
  useKeys({ j: () => move(1), k: () => move(-1), x: selectFocused })
  const nameOf = useLocationNames()
  const template = [
    '16px',
    'minmax(0, 1fr)',
    ...shown.map((column) => `${column.width}px`),
    ...(hasTags ? ['120px'] : []),
    '24px',
  ]
  const hasSelection = countSelected(selection, list.total) > 0
  return (
    <div
      role="table"
      aria-label="Checks"
      aria-rowcount={rows.total + 1}
      className={isFaded ? 'check-table old' : 'check-table'}
      style={{ '--columns': template.join(' ') } as React.CSSProperties}
    >
      {!isNarrow && (
        <HeaderRow shown={shown} hasTags={hasTags} filters={filters} onSort={onSort}>
          <SelectLoaded {...props} />
        </HeaderRow>
      )}
      <div ref={body} role="rowgroup" className="rows" style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, size }) => {
          const row = rows.rowAt(index)
          const place = { index, offset: start - top, height: size }
          if (row.kind === 'group') return <GroupRow key={index} {...row} {...place} onToggle={toggleGroup} />
          const check = list.rowOf(row.index)
          const isChosen = check !== undefined && isSelected(selection, check.id)
          return (
            <CheckRow
              key={index}
              {...place}
              {...{ check, isNarrow, isGrouped, shown, hasTags, nameOf, hasCheckbox: hasSelection }}
              {...{ position: row.index, isSelected: isChosen, onSelect, onMenu, onTag, onOpen }}
            />
          )
        })}
      </div>
      {menu && (
        <RowMenu
          check={menu.check}
          opener={menu.opener}
          isSelected={isSelected(selection, menu.check.id)}
          onSelect={() => pick(menu.position, false)}
          onClose={() => setMenu(null)}
        />
      )}
    </div>
  )
}

function toggleGroup(group: Group): void {
  const { collapsedGroups } = preferences.get()
  changePreferences({ collapsedGroups: toggle(collapsedGroups, groupKey(group)) })
}

/** The first and the last check among these rows. */
function checksIn(rows: Rows, items: readonly { index: number }[]): { first: number; last: number } {
  const indexes = items.flatMap(({ index }) => {
    const row = rows.rowAt(index)
    return row.kind === 'check' ? [row.index] : []
  })
  return { first: indexes[0] ?? 0, last: indexes.at(-1) ?? 0 }
}

/** Selects one check, or with the shift key all from the one before. */
function usePick({ list, selection, loadedIds, onSelect }: CheckTableProps) {
  const anchor = useRef<number | null>(null)
  return async (index: number, isRange: boolean) => {
    const check = list.rowOf(index)
    if (check === undefined) return
    const from = isRange ? anchor.current : null
    anchor.current = index
    if (from === null)
      return onSelect(select(selection, [check.id], !isSelected(selection, check.id), loadedIds))
    const ids = await list.idsBetween(Math.min(from, index), Math.max(from, index))
    onSelect(select(selection, ids, true, loadedIds))
  }
}

/** Those that aren't loaded yet are selected in the bar that appears. */
function SelectLoaded({ selection, loadedIds, onSelect }: CheckTableProps) {
  const count = loadedIds.filter((id) => isSelected(selection, id)).length
  const isAll = count > 0 && count === loadedIds.length
  return (
    <input
      type="checkbox"
      className="select-box"
      aria-label="Select the loaded checks"
      checked={isAll}
      ref={(box) => {
        if (box !== null) box.indeterminate = count > 0 && !isAll
      }}
      onChange={() => onSelect(isAll ? nothingSelected : select(nothingSelected, loadedIds, true, loadedIds))}
    />
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
  children: ReactNode
}

function HeaderRow({ shown, hasTags, filters, onSort, children }: HeaderRowProps) {
  const heads = [
    { id: 'name', label: 'Name', sort: 'name' as const, isNumber: false },
    ...shown,
    ...(hasTags ? [{ id: 'tags', label: 'Tags' }] : []),
  ]
  return (
    <div role="row" aria-rowindex={1} className="row head">
      <div role="columnheader">{children}</div>
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
      <div role="columnheader">
        <span className="unseen">Actions</span>
      </div>
    </div>
  )
}

function focusedRow(): number | null {
  const row = document.activeElement?.closest<HTMLElement>('[data-index]')
  return row === null || row === undefined ? null : Number(row.dataset.index)
}

/** Moves the focus from row to row, also to rows that aren't rendered yet. */
function useRowFocus(
  body: React.RefObject<HTMLDivElement | null>,
  total: number,
  scrollTo: (index: number) => void,
) {
  const wanted = useRef<number | null>(null)
  const focus = () => {
    const link = body.current?.querySelector<HTMLElement>(
      `[data-index="${wanted.current}"] :is(a, .group-cell button)`,
    )
    if (wanted.current === null || !link) return
    link.focus({ preventScroll: true })
    wanted.current = null
  }
  // A row that was asked for may appear with any render.
  useEffect(focus)
  return (step: number) => {
    const current = focusedRow() ?? -1
    wanted.current = Math.max(0, Math.min(total - 1, current + step))
    scrollTo(wanted.current)
    focus()
  }
}
