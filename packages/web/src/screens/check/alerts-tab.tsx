// What was sent about this check, and changes of which nobody was notified. The API lists six hours at a time.
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import { alertLabels } from '../../core/alert-labels.ts'
import { formatExact } from '../../core/format.ts'
import { ActionButton } from '../../parts/button.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment, useTimeOptions } from '../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

const windowSeconds = 6 * 3600
const windowsAtOnce = 4

export function AlertsTab({ check, range }: TabProps) {
  const nameOf = useLocationNames()
  const options = useTimeOptions()
  const alerts = useInfiniteQuery({
    queryKey: ['alerts', check.id, range.span ?? [range.from, range.to]],
    initialPageParam: range.to,
    queryFn: async ({ pageParam, signal }) => {
      const ends = Array.from(
        { length: windowsAtOnce },
        (_, index) => pageParam - index * windowSeconds,
      ).filter((to) => to > range.from)
      const lists = await Promise.all(
        ends.map((to) =>
          call(
            'GET /v1/check-alerts/{checkId}',
            {
              params: { checkId: check.id },
              query: { from: Math.max(range.from, to - windowSeconds), to, limit: 100 },
            },
            signal,
          ),
        ),
      )
      return { from: Math.max(range.from, pageParam - windowsAtOnce * windowSeconds), entries: lists.flat() }
    },
    getNextPageParam: ({ from }) => (from > range.from ? from : undefined),
  })
  const { data, error, refetch } = alerts
  if (error && data === undefined) return <Failure what="The alerts" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const entries = data.pages.flatMap((page) => page.entries)
  const reached = data.pages.at(-1)?.from ?? range.from
  return (
    <div className="stack">
      {entries.length === 0 ? (
        <Empty title={`No alerts since ${formatExact(reached * 1000, options)}`}>
          <p className="muted-text">
            When the state of the check changes, it is listed here, also if nobody was notified.
          </p>
        </Empty>
      ) : (
        <TableBox label="Alerts">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Alert</th>
                <th scope="col">Time</th>
                <th scope="col">Location</th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
            <tbody>
              {entries.map(({ id, alertType, created_at, runLocation, error: reason }) => (
                <tr key={id}>
                  <td className="nowrap">
                    <StateLabel {...alertLabels[alertType]} />
                  </td>
                  <td className="nowrap">
                    <Moment at={created_at} />
                  </td>
                  <td className="nowrap">{nameOf(runLocation)}</td>
                  <td className="reason-cell">{reason}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
      {alerts.hasNextPage && (
        <ActionButton onPress={() => alerts.fetchNextPage()} isPending={alerts.isFetchingNextPage}>
          Earlier alerts
        </ActionButton>
      )}
    </div>
  )
}
