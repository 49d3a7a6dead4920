// Expected = executed + skipped + missed, with the reasons, and how late runs started.
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import { formatCount, formatDuration, formatNumberOf, formatPercent } from '../../core/format.ts'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { Moment } from '../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

export function CoverageTab({ check, range }: TabProps) {
  const nameOf = useLocationNames()
  const { data, error, refetch } = useQuery({
    queryKey: ['coverage', check.id, range.from, range.to],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/checks/{id}/coverage',
        { params: { id: check.id }, query: { from: range.from, to: range.to } },
        signal,
      ),
  })
  if (error && data === undefined) return <Failure what="The coverage" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  const { totals, rows } = data
  if (totals.expected === 0) return <Empty title="No runs were expected in this range" />
  const { reasons, lag } = totals
  const incomplete = rows.filter(({ skipped, missed }) => skipped + missed > 0)
  return (
    <div className="stack">
      <p className="lead">
        {formatCount(totals.executed)} of {formatNumberOf(totals.expected, 'expected run')} were made
        {totals.ratio !== null && `: ${formatPercent(totals.ratio * 100)}`}
      </p>
      <dl className="facts">
        <dt>Executed</dt>
        <dd>{formatCount(totals.executed)}</dd>
        <dt>Skipped</dt>
        <dd>
          {formatCount(totals.skipped)}
          {totals.skipped > 0 &&
            ` (a run was in progress: ${reasons.inProgress}, maintenance: ${reasons.maintenance}, over a quota: ${reasons.quota})`}
        </dd>
        <dt>Missed</dt>
        <dd>
          {formatCount(totals.missed)}
          {totals.missed > 0 && ` (no agent: ${reasons.agent}, no server: ${reasons.server})`}
        </dd>
        {lag && (
          <>
            <dt>Start lag</dt>
            <dd>
              {formatDuration(lag.p50)} (p50), {formatDuration(lag.p95)} (p95), {formatDuration(lag.max)} at
              most
            </dd>
          </>
        )}
      </dl>
      {incomplete.length > 0 && (
        <TableBox label="Hours with skipped or missed runs">
          <table className="table">
            <caption>Hours in which runs were skipped or missed</caption>
            <thead>
              <tr>
                <th scope="col">Hour</th>
                <th scope="col">Location</th>
                {['Expected', 'Executed', 'Skipped', 'Missed'].map((label) => (
                  <th key={label} scope="col" className="num">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {incomplete.map(({ hour, location, expected, executed, skipped, missed }) => (
                <tr key={`${hour} ${location}`}>
                  <td className="nowrap">
                    <Moment at={hour} />
                  </td>
                  <td>{nameOf(location)}</td>
                  {[expected, executed, skipped, missed].map((count, index) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the columns are fixed
                    <td key={index} className="num">
                      {formatCount(count)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
    </div>
  )
}
