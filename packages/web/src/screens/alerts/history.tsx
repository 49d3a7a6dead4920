// The history of alerts: what was sent, what was held back and why, the delivery log, location alarms.
import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { call, callList, type ResponseTo } from '../../api/call.ts'
import { useCheck } from '../../api/check.ts'
import { formatExact } from '../../core/format.ts'
import { isSpan, spanLabels, spans } from '../../core/time-range.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { useLive } from '../../live/live-provider.tsx'
import { ActionButton, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ResourcePicker } from '../../parts/resource-picker.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { useNow, useTimeOptions } from '../../parts/time.tsx'
import { AlarmList } from './alarm-list.tsx'
import { type AlertEntry, AlertList } from './alert-list.tsx'
import { AlertsFrame } from './alerts-frame.tsx'
import { channelLabel } from './channel-kinds.ts'
import { DeliveryList } from './delivery-list.tsx'
import { heldLabels } from './held-reasons.ts'
import {
  alertKinds,
  deliveryKinds,
  deliveryStatuses,
  type FilterName,
  type HistoryFilters,
  isHistoryFiltered,
  isKey,
  readHistoryFilters,
  type View,
  views,
  withFilter,
  withoutFilters,
} from './history-filters.ts'
import { useChannels } from './use-channels.ts'

const pageSize = 30

export function Screen() {
  const [search, setSearch] = useSearchParameters()
  const now = useNow()
  const filters = readHistoryFilters(search, now)
  const queries = useQueryClient()
  useLive([], {
    onRecent: ({ kind }) => {
      if (kind === 'alert') void queries.invalidateQueries({ queryKey: ['alert-history'] })
    },
  })
  const set = (name: FilterName | 'view' | 'range', value: string | number | null) =>
    setSearch(withFilter(search, name, value), { isNewEntry: name === 'view' })
  const clear = () => setSearch(withoutFilters(search))
  const List = lists[filters.view]
  return (
    <AlertsFrame title="Alerts">
      <div className="filter-bar">
        <fieldset className="chips">
          <legend className="unseen">List</legend>
          {Object.entries(views).map(([view, label]) => (
            <button
              key={view}
              type="button"
              className="chip"
              aria-pressed={filters.view === view}
              onClick={() => set('view', view)}
            >
              {label}
            </button>
          ))}
        </fieldset>
        {filters.view !== 'alarms' && <Filters filters={filters} onSet={set} onClear={clear} />}
      </div>
      <List filters={filters} onClear={clear} />
    </AlertsFrame>
  )
}

interface FiltersProps {
  filters: HistoryFilters
  onSet(name: FilterName | 'range', value: string | number | null): void
  onClear(): void
}

function Filters({ filters, onSet, onClear }: FiltersProps) {
  const { data: channels = [] } = useChannels()
  const kinds = filters.view === 'alerts' ? alertKinds : deliveryKinds
  return (
    <>
      <CheckFilter id={filters.checkId} onChange={(id) => onSet('checkId', id)} />
      <Select
        label="Channel"
        value={filters.channelId === null ? null : String(filters.channelId)}
        options={channels.map((channel) => [String(channel.id), channelLabel(channel)])}
        onChange={(value) => onSet('channelId', value)}
      />
      <Select
        label="Kind"
        value={filters.kind}
        options={Object.entries(kinds)}
        onChange={(value) => onSet('kind', value)}
      />
      {filters.kind === 'held' && (
        <Select
          label="Why"
          value={filters.heldBy}
          options={Object.entries(heldLabels)}
          onChange={(value) => onSet('heldBy', value)}
        />
      )}
      {filters.kind !== 'held' && (
        <Select
          label="Delivery"
          value={filters.status}
          options={Object.entries(deliveryStatuses)}
          onChange={(value) => onSet('status', value)}
        />
      )}
      <Select
        label="Time"
        value={filters.range.span ?? 'custom'}
        options={[
          ...Object.keys(spans)
            .filter(isSpan)
            .map((span): [string, string] => [span, spanLabels[span]]),
          ...(filters.range.span === null ? [['custom', 'Chosen range'] as [string, string]] : []),
        ]}
        hasAny={false}
        onChange={(value) => onSet('range', value)}
      />
      {isHistoryFiltered(filters) && (
        <ActionButton look="quiet" onPress={onClear}>
          Clear filters
        </ActionButton>
      )}
    </>
  )
}

interface SelectProps {
  label: string
  value: string | null
  options: readonly (readonly [value: string, label: string])[]
  onChange(value: string | null): void
  /** False: one is always chosen. */
  hasAny?: boolean
}

function Select({ label, value, options, onChange, hasAny = true }: SelectProps) {
  return (
    <label className="filter-select">
      <span className="unseen">{label}</span>
      <select
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
      >
        {hasAny && <option value="">{label}: any</option>}
        {value !== null && !options.some(([one]) => one === value) && <option value={value}>{value}</option>}
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

function CheckFilter({ id, onChange }: { id: string | null; onChange(id: string | null): void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {id === null ? (
        <button type="button" className="chip" onClick={() => setOpen(true)}>
          Check: any
          <Icon name="search" />
        </button>
      ) : (
        <span className="chip">
          <CheckName id={id} />
          <IconButton label="Remove the filter by check" onPress={() => onChange(null)}>
            <Icon name="close" />
          </IconButton>
        </span>
      )}
      {isOpen && (
        <ResourcePicker
          title="Only alerts of a check"
          kinds={['check']}
          onClose={() => setOpen(false)}
          onPick={(found) => {
            setOpen(false)
            onChange(String(found.id))
          }}
        />
      )}
    </>
  )
}

function CheckName({ id }: { id: string }) {
  const { data, error } = useCheck(id)
  return data?.name ?? (error ? 'A check that was deleted' : 'Check')
}

interface ListProps {
  filters: HistoryFilters
  onClear(): void
}

const lists: Record<View, (props: ListProps) => ReactNode> = {
  alerts: Alerts,
  deliveries: Deliveries,
  alarms: Alarms,
}

function queryOf({ checkId, channelId, status, range }: HistoryFilters) {
  return {
    ...(checkId === null ? {} : { checkId }),
    ...(channelId === null ? {} : { alertChannelId: channelId }),
    ...(status === null ? {} : { status }),
    from: range.from,
    // The latest ones have just been decided: a fixed end would hide them until the next minute.
    ...(range.span === null ? { to: range.to } : {}),
    limit: pageSize,
  }
}

/** Deliveries send no live event: while one is open, the list is read again. */
const waitingMs = 3_000

const isUndecided = ({ isPending, deliveries }: AlertEntry) =>
  isPending || deliveries.some(({ status }) => status === 'IN_PROGRESS')

function Alerts({ filters, onClear }: ListProps) {
  const kind = isKey(alertKinds, filters.kind) ? filters.kind : null
  const query = {
    ...queryOf(filters),
    ...(kind === null ? {} : { kind }),
    ...(filters.heldBy === null ? {} : { heldBy: filters.heldBy }),
  }
  const alerts = useInfiniteQuery({
    queryKey: ['alert-history', 'alerts', query],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /v1/alert-history',
        { query: { ...query, ...(pageParam === '' ? {} : { nextId: pageParam }) } },
        signal,
      ),
    getNextPageParam: ({ nextId }) => nextId ?? undefined,
    refetchInterval: ({ state: { data } }) => (data?.pages[0]?.entries.some(isUndecided) ? waitingMs : false),
  })
  return (
    <Pages what="The alerts" pages={alerts} filters={filters} onClear={onClear}>
      {(entries) => <AlertList entries={entries} />}
    </Pages>
  )
}

function Deliveries({ filters, onClear }: ListProps) {
  const kind = isKey(deliveryKinds, filters.kind) ? filters.kind : null
  const query = { ...queryOf(filters), ...(kind === null ? {} : { kind }) }
  const deliveries = useInfiniteQuery({
    queryKey: ['alert-history', 'deliveries', query],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /v1/alert-history/deliveries',
        { query: { ...query, ...(pageParam === '' ? {} : { nextId: pageParam }) } },
        signal,
      ),
    getNextPageParam: ({ nextId }) => nextId ?? undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.entries.some(({ status }) => status === 'IN_PROGRESS') ? waitingMs : false,
  })
  return (
    <Pages what="The deliveries" pages={deliveries} filters={filters} onClear={onClear}>
      {(entries) => <DeliveryList entries={entries} />}
    </Pages>
  )
}

interface PagesProps<E> {
  what: string
  pages: {
    data: InfiniteData<{ entries: E[] }> | undefined
    error: Error | null
    refetch(): unknown
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage(): unknown
  }
  filters: HistoryFilters
  onClear(): void
  children(entries: E[]): ReactNode
}

function Pages<E>({ what, pages, filters, onClear, children }: PagesProps<E>) {
  const { data, error } = pages
  if (error && data === undefined)
    return <Failure what={what} error={error} onRetry={() => pages.refetch()} />
  if (data === undefined) return <FirstLoad rows={8} />
  const entries = data.pages.flatMap((page) => page.entries)
  if (entries.length === 0) return <NoEntries filters={filters} onClear={onClear} />
  return (
    <>
      {children(entries)}
      {pages.hasNextPage && (
        <div>
          <ActionButton onPress={() => pages.fetchNextPage()} isPending={pages.isFetchingNextPage}>
            Earlier ones
          </ActionButton>
        </div>
      )}
    </>
  )
}

function NoEntries({ filters, onClear }: ListProps) {
  const options = useTimeOptions()
  if (isHistoryFiltered(filters))
    return (
      <Empty title="Nothing matches">
        <ActionButton onPress={onClear}>Clear filters</ActionButton>
      </Empty>
    )
  return (
    <Empty title={`No alerts since ${formatExact(filters.range.from * 1000, options)}`}>
      <p className="muted-text">
        When the state of a check changes, it is listed here: who was notified, or why nobody was.
      </p>
      <Link href="/alerts/channels" className="button">
        See who is notified
      </Link>
    </Empty>
  )
}

function Alarms() {
  const { data, error, refetch } = useQuery({
    queryKey: ['alert-history', 'alarms'],
    queryFn: ({ signal }) => callList('GET /v1/location-alarms', { query: { limit: 100 } }, signal),
  })
  if (error && data === undefined)
    return <Failure what="The location alarms" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad rows={4} />
  const alarms: ResponseTo<'GET /v1/location-alarms'> = data.entries
  if (alarms.length === 0)
    return (
      <Empty title="No location alarms">
        <p className="muted-text">
          When checks don’t run, because a location has no agent or runs wait, it is listed here.
        </p>
      </Empty>
    )
  return (
    <>
      <AlarmList alarms={alarms} />
      {data.total > alarms.length && (
        <p className="hint">
          The latest {alarms.length} of {data.total}.
        </p>
      )}
    </>
  )
}
