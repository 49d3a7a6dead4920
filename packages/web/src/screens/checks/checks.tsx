// The list of checks: any number of them, filtered and sorted by the server, fetched in pages while it is scrolled.
import './checks.css'
import { useQueryClient } from '@tanstack/react-query'
import { memo, useMemo, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useSession } from '../../api/session.tsx'
import type { OverviewPage } from '../../api/types.ts'
import { formatNumberOf } from '../../core/format.ts'
import { preferences } from '../../core/preferences.ts'
import { useStore } from '../../core/store.ts'
import { useAfterPaint } from '../../core/use-after-paint.ts'
import { useLatest } from '../../core/use-latest.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { useLive } from '../../live/live-provider.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { CheckTable } from './check-table.tsx'
import { ColumnMenu, useHiddenColumns } from './column-menu.tsx'
import { FilterBar } from './filter-bar.tsx'
import {
  defaultSort,
  type Filters,
  filterOf,
  isFiltered,
  noFilters,
  readFilters,
  writeFilters,
} from './filters.ts'
import { groupRows, plainRows } from './group-rows.ts'
import { SavedViews } from './saved-views.tsx'
import { countSelected, nothingSelected, type Selection } from './selection.ts'
import { askAhead, checksKey, useCheckPages } from './use-check-pages.ts'

export function Screen() {
  const [search, setSearch] = useSearchParameters()
  const filters = useMemo(() => readFilters(search), [search])
  const [range, setRange] = useState({ first: 0, last: 40 })
  const [selection, setSelection] = useSelection(filters)
  const { collapsedGroups } = useStore(preferences)
  const hiddenColumns = useHiddenColumns(filters.columns)
  const list = useCheckPages(filters, range)
  const live = useLiveRows(list.shownIds, list.total === 0)
  const queries = useQueryClient()
  const change = useLatest((part: Partial<Filters>) => {
    const next = { ...filters, ...part }
    askAhead(queries, next)
    setSearch(writeFilters(next))
  })
  const refresh = useLatest(live.refresh)
  // The rows are shown first, then which view they are.
  const viewed = useAfterPaint(filters)
  const { total, counts, groups } = list
  const isGrouped = filters.sort === 'group'
  const rows = useMemo(
    () => (isGrouped ? groupRows(groups, collapsedGroups) : plainRows(total ?? 0)),
    [isGrouped, groups, collapsedGroups, total],
  )
  return (
    <ScreenFrame
      title="Checks"
      actions={
        <ListActions
          isGrouped={isGrouped}
          columns={filters.columns}
          changed={live.changed}
          onRefresh={refresh}
          onChange={change}
        />
      }
    >
      <FilterBar filters={filters} counts={counts} rows={list.rows} onChange={change}>
        <SavedViews filters={viewed} />
      </FilterBar>
      <p className="unseen" role="status">
        {total === null ? 'Loading…' : formatNumberOf(total, 'check')}
      </p>
      {list.error && total === null && <Failure what="The checks" error={list.error} onRetry={list.retry} />}
      {total === null && !list.error && <FirstLoad rows={12} />}
      {total === 0 && <NoChecks filters={filters} onClear={() => change(noFilters)} />}
      {total !== null && total > 0 && (
        <>
          <CheckTable
            list={{ total, rowOf: list.rowOf, isOld: list.isOld, idsBetween: list.idsBetween }}
            rows={rows}
            filters={filters}
            hiddenColumns={hiddenColumns}
            selection={selection}
            loadedIds={list.rows.map(({ id }) => id)}
            onSelect={setSelection}
            onSort={(sort, order) => change({ sort, order })}
            onTag={(tag) => change({ tag: [tag] })}
            onRange={setRange}
          />
          {countSelected(selection, total) > 0 && (
            <BulkBar selection={selection} filters={filters} matching={total} onSelect={setSelection} />
          )}
        </>
      )}
    </ScreenFrame>
  )
}

interface ListActionsProps {
  isGrouped: boolean
  columns: Filters['columns']
  /** How many checks outside the view have changed. */
  changed: number
  onRefresh(): void
  onChange(change: Partial<Filters>): void
}

const ListActions = memo(function ListActions(props: ListActionsProps) {
  const { isGrouped, columns, changed, onRefresh, onChange } = props
  return (
    <>
      {changed > 0 && (
        <ActionButton look="quiet" onPress={onRefresh}>
          <Icon name="refresh" />
          {formatNumberOf(changed, 'other check')} changed: refresh
        </ActionButton>
      )}
      <button
        type="button"
        className="button plain"
        aria-pressed={isGrouped}
        onClick={() => onChange(isGrouped ? defaultSort : { sort: 'group', order: 'asc' })}
      >
        <Icon name="groups" />
        Groups
      </button>
      <ColumnMenu columns={columns} onChange={onChange} />
      <NewMenu />
    </>
  )
})

/** Other filters mean other checks: nothing is selected then. */
function useSelection(filters: Filters): [Selection, (selection: Selection) => void] {
  const key = JSON.stringify(filterOf(filters))
  const [state, setState] = useState({ key, selection: nothingSelected })
  const selection = state.key === key ? state.selection : nothingSelected
  return [selection, (next) => setState({ key, selection: next })]
}

function NewMenu() {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const denial = denialOf('READ_WRITE')
  return (
    <>
      <ActionButton look="primary" denial={denial} onPress={() => navigate('/checks/new')}>
        <Icon name="plus" />
        New check
      </ActionButton>
      <ActionButton denial={denial} onPress={() => navigate('/groups/new')}>
        New group
      </ActionButton>
    </>
  )
}

function NoChecks({ filters, onClear }: { filters: Filters; onClear(): void }) {
  if (isFiltered(filters))
    return (
      <Empty title="No check matches">
        <ActionButton onPress={onClear}>Clear filters</ActionButton>
      </Empty>
    )
  return (
    <Empty title="No checks yet">
      <p className="muted-text">A check runs on a schedule and tells you when something breaks, and why.</p>
      <Link href="/checks/new" className="button primary">
        New check
      </Link>
      <Link href="/" className="button">
        Paste a URL to watch
      </Link>
    </Empty>
  )
}

/** Rows change in their place. What would move rows is counted, and waits for the button; in an empty list nothing moves. */
function useLiveRows(shownIds: readonly string[], isEmpty: boolean) {
  const queries = useQueryClient()
  const [changed, setChanged] = useState(0)
  useLive(shownIds, {
    onChange: (change) => {
      // Also after the first event: checks may have been created before the stream was open.
      if (isEmpty) return void refresh()
      setChanged((count) => count + change.changed)
      const byId = new Map(change.checks.map((check) => [check.id, check]))
      queries.setQueriesData<OverviewPage>({ queryKey: [checksKey] }, (page) =>
        page === undefined || !page.entries.some(({ id }) => byId.has(id))
          ? page
          : { ...page, entries: page.entries.map((check) => byId.get(check.id) ?? check) },
      )
    },
  })
  const refresh = async () => {
    setChanged(0)
    await queries.invalidateQueries({ queryKey: [checksKey] })
  }
  return { changed, refresh }
}
