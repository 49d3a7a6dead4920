// Check sessions and test sessions, the latest first. States change in their place; new sessions wait for a button.
import './sessions.css'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import type { SessionEntry } from '../../api/types.ts'
import { formatDuration, formatList, formatNumberOf } from '../../core/format.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { ActionButton } from '../../parts/button.tsx'
import { FilterSheet } from '../../parts/filter-sheet.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RowKeys } from '../../parts/row-keys.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { Moment, useNow } from '../../parts/time.tsx'
import {
  isFiltered,
  noFilters,
  providerLabels,
  queryOf,
  readFilters,
  type SessionFilters,
  stateLabels,
  writeFilters,
} from './filters.ts'
import { SessionStateLabel, sourceLabels, stateIconOf } from './session-state.tsx'

const limit = 50
const renewMs = 3_000

export function Screen() {
  const [search, setSearch] = useSearchParameters()
  const filters = readFilters(search)
  const change = (next: Partial<SessionFilters>) => setSearch(writeFilters({ ...filters, ...next }))
  const key = writeFilters(filters).toString()
  const pages = useInfiniteQuery({
    queryKey: ['sessions', key],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /v1/sessions',
        { query: { ...queryOf(filters), limit, ...(pageParam === '' ? {} : { nextId: pageParam }) } },
        signal,
      ),
    getNextPageParam: ({ nextId }) => nextId ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: 'always',
  })
  const latest = useQuery({
    queryKey: ['latest-sessions', key],
    queryFn: ({ signal }) => call('GET /v1/sessions', { query: { ...queryOf(filters), limit } }, signal),
    refetchInterval: renewMs,
    enabled: pages.data !== undefined,
  })
  const { data, error, refetch } = pages
  const current = new Map(
    latest.isPlaceholderData ? [] : (latest.data?.entries ?? []).map((entry) => [entry.id, entry]),
  )
  const entries = (data?.pages.flatMap((page) => page.entries) ?? []).map(
    (entry) => current.get(entry.id) ?? entry,
  )
  const known = new Set(entries.map(({ id }) => id))
  const newestAt = entries[0]?.startedAt ?? ''
  const newer = [...current.values()].filter(({ id, startedAt }) => !known.has(id) && startedAt >= newestAt)
  return (
    <ScreenFrame
      title="Sessions"
      actions={
        newer.length > 0 && (
          <ActionButton look="quiet" onPress={() => refetch()}>
            <Icon name="refresh" />
            Show {formatNumberOf(newer.length, 'new session')}
          </ActionButton>
        )
      }
    >
      <Filters filters={filters} onChange={change} />
      {error && <Failure what="The sessions" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad rows={10} />}
      {data !== undefined && entries.length === 0 && (
        <NoSessions isFiltered={isFiltered(filters)} onClear={() => change(noFilters)} />
      )}
      {entries.length > 0 && <SessionTable entries={entries} />}
      {pages.hasNextPage && (
        <ActionButton onPress={() => pages.fetchNextPage()} isPending={pages.isFetchingNextPage}>
          Older sessions
        </ActionButton>
      )}
    </ScreenFrame>
  )
}

interface FiltersProps {
  filters: SessionFilters
  onChange(change: Partial<SessionFilters>): void
}

function Filters({ filters, onChange }: FiltersProps) {
  return (
    <div className="filter-bar">
      <TextFilter
        label="Filter by name, branch or commit"
        value={filters.textSearch}
        onChange={(textSearch) => onChange({ textSearch })}
      />
      <FilterSheet>
        <Choices filters={filters} onChange={onChange} />
      </FilterSheet>
      {isFiltered(filters) && (
        <ActionButton look="quiet" onPress={() => onChange(noFilters)}>
          Clear filters
        </ActionButton>
      )}
    </div>
  )
}

function Choices({ filters, onChange }: FiltersProps) {
  const { kind, states, provider, checkId } = filters
  return (
    <>
      <label className="check-box">
        Kind
        <select
          value={kind ?? ''}
          onChange={({ target: { value } }) =>
            onChange({ kind: value === 'check' || value === 'test' ? value : null })
          }
        >
          <option value="">All</option>
          <option value="check">Check sessions</option>
          <option value="test">Test sessions</option>
        </select>
      </label>
      {kind !== 'check' && (
        <>
          <label className="check-box">
            Started by
            <select
              value={provider ?? ''}
              onChange={({ target }) =>
                onChange({
                  provider: readFilters(new URLSearchParams({ provider: target.value })).provider,
                })
              }
            >
              <option value="">Any</option>
              {Object.entries(providerLabels).map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
          <TextFilter
            isShort
            label="Branch"
            value={filters.branch}
            onChange={(branch) => onChange({ branch })}
          />
          <TextFilter
            isShort
            label="Commit"
            value={filters.commit}
            onChange={(commit) => onChange({ commit })}
          />
        </>
      )}
      <fieldset className="chips">
        <legend className="unseen">State</legend>
        {Object.entries(stateLabels).map(([value, label]) => {
          const [state] = readFilters(new URLSearchParams({ state: value })).states
          if (state === undefined) return null
          const isChosen = states.includes(state)
          return (
            <button
              key={value}
              type="button"
              className="chip"
              aria-pressed={isChosen}
              onClick={() =>
                onChange({ states: isChosen ? states.filter((one) => one !== state) : [...states, state] })
              }
            >
              {stateIconOf(state)}
              {label}
            </button>
          )
        })}
      </fieldset>
      {checkId !== null && (
        <button
          type="button"
          className="chip"
          aria-pressed="true"
          onClick={() => onChange({ checkId: null })}
        >
          Of one check
          <Icon name="close" />
        </button>
      )}
    </>
  )
}

function SessionTable({ entries }: { entries: readonly SessionEntry[] }) {
  const nameOf = useLocationNames()
  return (
    <RowKeys>
      <TableBox label="Sessions">
        <table className="table sessions">
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Session</th>
              <th scope="col">Started by</th>
              <th scope="col">Location</th>
              <th scope="col">Started</th>
              <th scope="col" className="num">
                Duration
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={entry.id}>
                <td className="nowrap">
                  <SessionStateLabel session={entry} />
                </td>
                <td>
                  <Link href={`/sessions/${entry.id}`} data-row-link="">
                    {entry.name}
                  </Link>{' '}
                  <span className="muted-text nowrap">
                    {entry.kind === 'check' ? 'check' : `test of ${formatNumberOf(entry.expected, 'run')}`}
                  </span>
                  <Origin entry={entry} />
                </td>
                <td>{starterOf(entry)}</td>
                <td>{formatList(entry.locations.map(nameOf))}</td>
                <td className="nowrap">
                  <Moment at={entry.startedAt} />
                </td>
                <td className="num">
                  <Elapsed {...entry} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </RowKeys>
  )
}

function Origin({ entry: { branchName, commitId, commitMessage, environment } }: { entry: SessionEntry }) {
  const parts = [branchName, commitId?.slice(0, 8), commitMessage?.split('\n')[0], environment].filter(
    Boolean,
  )
  return parts.length === 0 ? null : <div className="muted-text cut origin">{parts.join(' · ')}</div>
}

function starterOf({ runSource, provider, invoker }: SessionEntry): string {
  const what =
    provider !== null ? providerLabels[provider] : runSource === null ? '' : sourceLabels[runSource]
  return invoker === null ? what.charAt(0).toUpperCase() + what.slice(1) : `${invoker}, ${what}`
}

export function Elapsed({ startedAt, stoppedAt }: { startedAt: string; stoppedAt: string | null }) {
  const now = useNow()
  const end = stoppedAt === null ? now : Date.parse(stoppedAt)
  return <>{formatDuration(Math.max(0, end - Date.parse(startedAt)))}</>
}

function NoSessions({ isFiltered: isNarrowed, onClear }: { isFiltered: boolean; onClear(): void }) {
  if (isNarrowed)
    return (
      <Empty title="No session matches">
        <ActionButton onPress={onClear}>Clear filters</ActionButton>
      </Empty>
    )
  return (
    <Empty title="No sessions yet">
      <p className="muted-text">
        A session runs checks now: with “Run now”, by a trigger, from the API or from a pipeline.
      </p>
      <Link href="/checks" className="button primary">
        Choose a check to run
      </Link>
    </Empty>
  )
}
