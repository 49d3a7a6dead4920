import { useLocationNames } from '../../api/locations.ts'
import { formatDuration, formatPercent } from '../../core/format.ts'
import { Failure } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import type { TabProps } from './tab-props.ts'
import type { TypeView } from './type-views.ts'
import { useLocationRows } from './use-report.ts'

/** The locations side by side. */
export function LocationTable({ check, range, view }: TabProps & { view: TypeView }) {
  const { data, error, refetch } = useLocationRows(check, view, range)
  const nameOf = useLocationNames()
  if (error && data === undefined) return <Failure what="The locations" error={error} onRetry={refetch} />
  if (data === undefined || data.length === 0) return null
  const { metric } = view.main
  const show = (value: number | null | undefined, format: (value: number) => string) =>
    value == null ? '–' : format(value)
  return (
    <section aria-labelledby="locations">
      <h2 id="locations">Locations</h2>
      <TableBox label="Locations">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Location</th>
              <th scope="col" className="num">
                Availability
              </th>
              <th scope="col" className="num">
                p50
              </th>
              <th scope="col" className="num">
                p95
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ location, values }) => (
              <tr key={location}>
                <th scope="row">{nameOf(location)}</th>
                <td className="num">{show(values.availability, formatPercent)}</td>
                <td className="num">{show(values[`${metric}_p50`], formatDuration)}</td>
                <td className="num">{show(values[`${metric}_p95`], formatDuration)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </section>
  )
}
