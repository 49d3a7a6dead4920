import { Link } from 'wouter'
import { formatCount, formatDuration, formatPercent } from '../../core/format.ts'
import { typeLabels } from '../../core/states.ts'
import { RowKeys } from '../../parts/row-keys.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { type Difference, differenceOfPercents, differenceOfTimes } from './difference.ts'
import { DifferenceText } from './difference-text.tsx'
import { type Column, firstOrder, type ReportEntry, type ReportFilters } from './report-filters.ts'

interface ReportTableProps {
  entries: readonly ReportEntry[]
  filters: ReportFilters
  /** The rows belong to earlier filters. */
  isOld: boolean
  onSort(column: Column, order: 'asc' | 'desc'): void
}

const heads: { column: Column; label: string; isText?: boolean }[] = [
  { column: 'name', label: 'Check', isText: true },
  { column: 'type', label: 'Type', isText: true },
  { column: 'availability', label: 'Availability' },
  { column: 'runs', label: 'Runs' },
  { column: 'failedRuns', label: 'Failed' },
  { column: 'p50', label: 'p50' },
  { column: 'p95', label: 'p95' },
  { column: 'p99', label: 'p99' },
  { column: 'coverage', label: 'Coverage' },
  { column: 'missed', label: 'Missed' },
]

export function ReportTable({ entries, filters, isOld, onSort }: ReportTableProps) {
  return (
    <RowKeys>
      <TableBox label="Report">
        <table className={isOld ? 'table report old' : 'table report'}>
          <thead>
            <tr>
              {heads.map((head) => (
                <Head key={head.column} {...head} filters={filters} onSort={onSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row key={entry.checkId} entry={entry} />
            ))}
          </tbody>
        </table>
      </TableBox>
    </RowKeys>
  )
}

interface HeadProps extends Pick<ReportTableProps, 'filters' | 'onSort'> {
  column: Column
  label: string
  isText?: boolean
}

function Head({ column, label, isText = false, filters: { sort, order }, onSort }: HeadProps) {
  const isSorted = sort === column
  const next = isSorted ? (order === 'asc' ? 'desc' : 'asc') : firstOrder(column)
  return (
    <th
      scope="col"
      className={isText ? '' : 'num'}
      {...(isSorted ? { 'aria-sort': order === 'asc' ? 'ascending' : 'descending' } : {})}
    >
      <button type="button" className="sort" onClick={() => onSort(column, next)}>
        {label}
        <span aria-hidden="true">{isSorted ? (order === 'asc' ? ' ↑' : ' ↓') : ''}</span>
      </button>
    </th>
  )
}

function Row({ entry }: { entry: ReportEntry }) {
  const { figures, previous } = entry
  return (
    <tr>
      <td className="report-name">
        <Link href={`/checks/${entry.checkId}`} data-row-link="">
          {entry.groupName !== null && <span className="muted-text">{entry.groupName} / </span>}
          {entry.name}
        </Link>
        {!entry.activated && <span className="muted-text"> paused</span>}
      </td>
      <td className="nowrap">{typeLabels[entry.checkType]}</td>
      <Figure
        text={percentOf(figures.availability)}
        difference={differenceOfPercents(figures.availability, previous.availability)}
      />
      <Figure text={formatCount(figures.runs)} />
      <Figure text={formatCount(figures.failedRuns)} />
      <Figure text={timeOf(figures.p50)} />
      <Figure text={timeOf(figures.p95)} difference={differenceOfTimes(figures.p95, previous.p95)} />
      <Figure text={timeOf(figures.p99)} />
      <Figure text={percentOf(figures.coverage)} />
      <Figure text={formatCount(figures.missed)} />
    </tr>
  )
}

function Figure({ text, difference = null }: { text: string; difference?: Difference | null }) {
  return (
    <td className="num nowrap">
      {text}
      {difference?.isBetter != null && <DifferenceText difference={difference} />}
    </td>
  )
}

const percentOf = (value: number | null) => (value === null ? '–' : formatPercent(value))
const timeOf = (value: number | null) => (value === null ? '–' : formatDuration(value))
