// What was sent about this check, and changes of which nobody was notified, with the reason.
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { formatExact } from '../../core/format.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { useTimeOptions } from '../../parts/time.tsx'
import { AlertList } from '../alerts/alert-list.tsx'
import type { TabProps } from './tab-props.ts'

const pageSize = 50

export function AlertsTab({ check, range }: TabProps) {
  const options = useTimeOptions()
  const alerts = useInfiniteQuery({
    queryKey: ['alert-history', 'check', check.id, range.span ?? [range.from, range.to]],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /v1/alert-history',
        {
          query: {
            ...{ checkId: check.id, from: range.from, to: range.to, limit: pageSize },
            ...(pageParam === '' ? {} : { nextId: pageParam }),
          },
        },
        signal,
      ),
    getNextPageParam: ({ nextId }) => nextId ?? undefined,
  })
  const { data, error, refetch } = alerts
  if (error && data === undefined) return <Failure what="The alerts" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const entries = data.pages.flatMap((page) => page.entries)
  if (entries.length === 0)
    return (
      <Empty title={`No alerts since ${formatExact(range.from * 1000, options)}`}>
        <p className="muted-text">
          When the state of the check changes, it is listed here, also if nobody was notified.
        </p>
      </Empty>
    )
  return (
    <div className="stack">
      <AlertList entries={entries} />
      <div className="actions">
        {alerts.hasNextPage && (
          <ActionButton onPress={() => alerts.fetchNextPage()} isPending={alerts.isFetchingNextPage}>
            Earlier alerts
          </ActionButton>
        )}
        <Link href={`/alerts?check=${check.id}`} className="button">
          All alerts of this check
        </Link>
      </div>
    </div>
  )
}
