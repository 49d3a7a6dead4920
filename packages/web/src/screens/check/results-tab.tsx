// The results in the range, the latest first. New ones wait for a button, so that rows keep their place.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import { formatDuration } from '../../core/format.ts'
import { outcomeOf } from '../../core/verdict.ts'
import { ActionButton } from '../../parts/button.tsx'
import { RowKeys } from '../../parts/row-keys.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment } from '../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

const fields = [
  ...([
    'id',
    'startedAt',
    'created_at',
    'runLocation',
    'responseTime',
    'attempts',
    'resultType',
    'failure',
    'statusCode',
  ] as const),
  ...(['hasFailures', 'hasErrors', 'isDegraded', 'isCancelled'] as const),
]
const limit = 50

interface ResultFilters {
  isFailedOnly: boolean
  hasAttempts: boolean
  location: string
}

export function ResultsTab({ check, range }: TabProps) {
  const [filters, setFilters] = useState<ResultFilters>({
    isFailedOnly: false,
    hasAttempts: false,
    location: '',
  })
  const { isFailedOnly, hasAttempts, location } = filters
  const nameOf = useLocationNames()
  const results = useInfiniteQuery({
    // A range that ends now begins when the tab is opened: later results don't push the rows down.
    queryKey: ['results', check.id, range.span ?? [range.from, range.to], filters],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /v2/check-results/{checkId}',
        {
          params: { checkId: check.id },
          query: {
            ...{ from: range.from, limit, fields },
            ...(range.span === null ? { to: range.to } : {}),
            ...(pageParam === '' ? {} : { nextId: pageParam }),
            ...(isFailedOnly ? { hasFailures: true } : {}),
            ...(hasAttempts ? { resultType: 'ALL' as const } : {}),
            ...(location === '' ? {} : { location }),
          },
        },
        signal,
      ),
    getNextPageParam: ({ nextId }) => nextId ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { data, error, refetch } = results
  const entries = data?.pages.flatMap((page) => page.entries) ?? []
  const newest = entries[0]?.startedAt ?? null
  const hasNewer =
    range.span !== null &&
    newest !== null &&
    check.lastRunAt !== null &&
    Date.parse(check.lastRunAt) > Date.parse(newest) + 1000
  const places = [
    ...(check.locations ?? []),
    ...('privateLocations' in check ? (check.privateLocations ?? []) : []),
  ]
  return (
    <div className="stack">
      <div className="filter-bar">
        <label className="check-box">
          <input
            type="checkbox"
            checked={isFailedOnly}
            onChange={({ target }) => setFilters({ ...filters, isFailedOnly: target.checked })}
          />
          Failed only
        </label>
        <label className="check-box">
          <input
            type="checkbox"
            checked={hasAttempts}
            onChange={({ target }) => setFilters({ ...filters, hasAttempts: target.checked })}
          />
          With retried attempts
        </label>
        {places.length > 1 && (
          <label className="check-box">
            Location
            <select
              value={location}
              onChange={({ target }) => setFilters({ ...filters, location: target.value })}
            >
              <option value="">All</option>
              {places.map((place) => (
                <option key={place} value={place}>
                  {nameOf(place)}
                </option>
              ))}
            </select>
          </label>
        )}
        {hasNewer && <ActionButton onPress={() => refetch()}>Show newer results</ActionButton>}
      </div>
      {error && <Failure what="The results" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad />}
      {data !== undefined && entries.length === 0 && <Empty title="No results in this range" />}
      {entries.length > 0 && (
        <RowKeys>
          <TableBox label="Results">
            <table className="table results">
              <thead>
                <tr>
                  <th scope="col">Outcome</th>
                  <th scope="col">Time</th>
                  <th scope="col">Location</th>
                  <th scope="col" className="num">
                    Duration
                  </th>
                  <th scope="col">Reason</th>
                </tr>
              </thead>
              <tbody>
                {entries.map((result) => {
                  const { state, label } = outcomeOf(result)
                  const at = result.startedAt ?? result.created_at ?? ''
                  return (
                    <tr key={result.id}>
                      <td>
                        <StateLabel state={state} label={label} />
                      </td>
                      <td className="nowrap">
                        <Link href={`/checks/${check.id}/results/${result.id}`} data-row-link="">
                          <Moment at={at} />
                        </Link>
                        {result.resultType === 'ATTEMPT' && (
                          <span className="muted-text"> attempt {result.attempts}, retried</span>
                        )}
                      </td>
                      <td className="nowrap">{nameOf(result.runLocation ?? '')}</td>
                      <td className="num">
                        {result.responseTime ? formatDuration(result.responseTime) : '–'}
                      </td>
                      <td className="reason-cell">
                        {result.failure?.message ?? (result.statusCode ? `Status ${result.statusCode}` : '')}
                      </td>
                    </tr>
                  )
                })}
              </tbody>
            </table>
          </TableBox>
        </RowKeys>
      )}
      {results.hasNextPage && (
        <ActionButton onPress={() => results.fetchNextPage()} isPending={results.isFetchingNextPage}>
          Older results
        </ActionButton>
      )}
    </div>
  )
}
