// Availability, response times and coverage of checks over any period, compared with the one before.
import './reports.css'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useGroups } from '../../api/lists.ts'
import { download } from '../../core/download.ts'
import { formatCount, formatExact, formatNumberOf, formatPercent } from '../../core/format.ts'
import { typeLabels } from '../../core/states.ts'
import { useSearchParameters } from '../../core/use-search-params.ts'
import { ActionButton } from '../../parts/button.tsx'
import { FilterSheet } from '../../parts/filter-sheet.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Empty, Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { TextFilter } from '../../parts/text-filter.tsx'
import { useNow, useTimeOptions } from '../../parts/time.tsx'
import { ChoiceMenu, unite } from '../checks/filter-bar.tsx'
import { toggle } from '../checks/filters.ts'
import { differenceOfPercents } from './difference.ts'
import { DifferenceText } from './difference-text.tsx'
import { reportAsCsv } from './report-csv.ts'
import {
  isFiltered,
  noFilters,
  queryOf,
  type Report,
  type ReportEntry,
  type ReportFilters,
  readFilters,
  writeFilters,
} from './report-filters.ts'
import {
  dayOf,
  periodLabels,
  periods,
  type ReportRange,
  readReportRange,
  writeDays,
  writePeriod,
} from './report-range.ts'
import { ReportTable } from './report-table.tsx'

const pageSize = 100
const exportSize = 500

export function Screen() {
  const [search, setSearch] = useSearchParameters()
  const now = useNow()
  const { isUtc } = useTimeOptions()
  const filters = readFilters(search)
  const range = readReportRange(search, new Date(now), isUtc)
  const change = (next: Partial<ReportFilters>) =>
    setSearch(writeFilters(search, { ...filters, page: 1, ...next }))
  const { from, to } = range
  const offset = (filters.page - 1) * pageSize
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['report', from, to, queryOf(filters), filters.page],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/reports/checks',
        { query: { ...queryOf(filters), from, to, limit: pageSize, offset } },
        signal,
      ),
    staleTime: 60_000,
  })
  return (
    <ScreenFrame
      title="Reports"
      actions={
        <>
          <CsvButton filters={filters} range={range} />
          <ActionButton onPress={() => print()} isDisabled={data === undefined}>
            Print
          </ActionButton>
        </>
      }
    >
      <PeriodPicker range={range} />
      <Filters filters={filters} entries={data?.entries ?? []} onChange={change} />
      {error && <Failure what="The report" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad rows={10} />}
      {data !== undefined && data.total === 0 && (
        <NoChecks isNarrowed={isFiltered(filters)} onClear={() => change(noFilters)} />
      )}
      {data !== undefined && data.total > 0 && (
        <>
          <Totals report={data} />
          <ReportTable
            entries={data.entries}
            filters={filters}
            isOld={isPlaceholderData}
            onSort={(sort, order) => change({ sort, order })}
          />
          <Pages total={data.total} page={filters.page} onPage={(page) => change({ page })} />
        </>
      )}
    </ScreenFrame>
  )
}

function PeriodPicker({ range }: { range: ReportRange }) {
  const [search, setSearch] = useSearchParameters()
  const { isUtc } = useTimeOptions()
  const [first, last] = [dayOf(range.from, isUtc), dayOf(range.to - 1, isUtc)]
  const choose = (from: string, to: string) =>
    from !== '' && to !== '' && setSearch(writeDays(search, from, to < from ? from : to))
  return (
    <div className="filter-bar">
      <fieldset className="chips">
        <legend className="unseen">Period</legend>
        {periods.map((period) => (
          <button
            key={period}
            type="button"
            className="chip"
            aria-pressed={range.period === period}
            onClick={() => setSearch(writePeriod(search, period), { isNewEntry: true })}
          >
            {periodLabels[period]}
          </button>
        ))}
      </fieldset>
      <span className="day-inputs">
        <input
          type="date"
          aria-label="First day"
          value={first}
          max={dayOf(Date.now() / 1000, isUtc)}
          onChange={({ target }) => choose(target.value, last)}
        />
        to
        <input
          type="date"
          aria-label="Last day"
          value={last}
          min={first}
          onChange={({ target }) => choose(first, target.value)}
        />
      </span>
    </div>
  )
}

interface FiltersProps {
  filters: ReportFilters
  entries: readonly ReportEntry[]
  onChange(change: Partial<ReportFilters>): void
}

function Filters({ filters, entries, onChange }: FiltersProps) {
  return (
    <div className="filter-bar">
      <TextFilter
        label="Filter by name, group, tag or host"
        value={filters.query}
        onChange={(query) => onChange({ query })}
      />
      <FilterSheet>
        <Choices filters={filters} entries={entries} onChange={onChange} />
      </FilterSheet>
      {isFiltered(filters) && (
        <ActionButton look="quiet" onPress={() => onChange(noFilters)}>
          Clear filters
        </ActionButton>
      )}
    </div>
  )
}

function Choices({ filters, entries, onChange }: FiltersProps) {
  const { data: groups = [] } = useGroups()
  const tags = unite(
    filters.tag,
    entries.flatMap((entry) => entry.tags),
  )
  const types = new Set([...filters.type, ...entries.map(({ checkType }) => checkType)])
  return (
    <>
      <ChoiceMenu
        label="Type"
        options={[...types].map((value) => ({ value, label: typeLabels[value] }))}
        chosen={filters.type}
        onToggle={(type) => onChange({ type: toggle(filters.type, type) })}
      />
      <ChoiceMenu
        label="Tag"
        options={tags.map((value) => ({ value, label: value }))}
        chosen={filters.tag}
        onToggle={(tag) => onChange({ tag: toggle(filters.tag, tag) })}
      />
      {groups.length > 0 && (
        <label className="check-box">
          Group
          <select
            value={filters.groupId ?? ''}
            onChange={({ target }) =>
              onChange({ groupId: target.value === '' ? null : Number(target.value) })
            }
          >
            <option value="">All</option>
            {groups.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  )
}

function Totals({ report }: { report: Report }) {
  const { totals, previousTotals, total, period, previousPeriod } = report
  const options = useTimeOptions()
  // Full hours: without the seconds.
  const hourOf = (at: string) => formatExact(Date.parse(at), options).replace(/:\d\d( UTC)?$/, '$1')
  const spell = ({ from, to }: Report['period']) => `${hourOf(from)} – ${hourOf(to)}`
  const percent = (value: number | null) => (value === null ? '–' : formatPercent(value))
  return (
    <section aria-label="Totals" className="panel">
      <p className="muted-text">
        {formatNumberOf(total, 'check')}, {spell(period)}, compared with {spell(previousPeriod)}
      </p>
      <dl className="report-totals">
        <Total label="Availability" figure={percent(totals.availability)}>
          <DifferenceText
            difference={differenceOfPercents(totals.availability, previousTotals.availability)}
          />
        </Total>
        <Total label="Runs" figure={formatCount(totals.runs)}>
          <Before count={previousTotals.runs} />
        </Total>
        <Total label="Failed runs" figure={formatCount(totals.failedRuns)}>
          <Before count={previousTotals.failedRuns} />
        </Total>
        <Total label="Coverage" figure={percent(totals.coverage)}>
          <DifferenceText difference={differenceOfPercents(totals.coverage, previousTotals.coverage)} />
        </Total>
        <Total label="Missed runs" figure={formatCount(totals.missed)}>
          <Before count={previousTotals.missed} />
        </Total>
      </dl>
    </section>
  )
}

interface TotalProps {
  label: string
  figure: string
  children: React.ReactNode
}

function Total({ label, figure, children }: TotalProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="figure">{figure}</dd>
      <dd>{children}</dd>
    </div>
  )
}

function Before({ count }: { count: number }) {
  return <span className="difference muted-text">{formatCount(count)} before</span>
}

function Pages({ total, page, onPage }: { total: number; page: number; onPage(page: number): void }) {
  const last = Math.max(1, Math.ceil(total / pageSize))
  if (last === 1) return null
  const first = (page - 1) * pageSize
  return (
    <nav aria-label="Pages" className="report-pages">
      <ActionButton isDisabled={page <= 1} onPress={() => onPage(page - 1)}>
        Previous
      </ActionButton>
      <span>
        {formatCount(first + 1)}–{formatCount(Math.min(total, first + pageSize))} of {formatCount(total)}
      </span>
      <ActionButton isDisabled={page >= last} onPress={() => onPage(page + 1)}>
        Next
      </ActionButton>
    </nav>
  )
}

/** All matching checks, not only those on the page. */
function CsvButton({ filters, range: { from, to } }: { filters: ReportFilters; range: ReportRange }) {
  const { isUtc } = useTimeOptions()
  const save = useMutation({
    mutationFn: async () => {
      const entries: ReportEntry[] = []
      for (let total = 1; entries.length < total; ) {
        const page = await call('GET /v1/reports/checks', {
          query: { ...queryOf(filters), from, to, limit: exportSize, offset: entries.length },
        })
        if (page.entries.length === 0) break
        entries.push(...page.entries)
        total = page.total
      }
      const name = `report-${dayOf(from, isUtc)}-${dayOf(to - 1, isUtc)}.csv`
      download(name, reportAsCsv(entries), 'text/csv;charset=utf-8')
    },
  })
  return (
    <>
      <ActionButton onPress={() => save.mutate()} isPending={save.isPending}>
        {save.isPending ? 'Preparing…' : 'Download CSV'}
      </ActionButton>
      {save.error && (
        <p className="field-error" role="alert">
          Couldn’t download: {reasonOf(save.error)}
        </p>
      )}
    </>
  )
}

function NoChecks({ isNarrowed, onClear }: { isNarrowed: boolean; onClear(): void }) {
  if (isNarrowed)
    return (
      <Empty title="No check matches">
        <ActionButton onPress={onClear}>Clear filters</ActionButton>
      </Empty>
    )
  return (
    <Empty title="Nothing to report yet">
      <p className="muted-text">Reports show how available and how fast your checks were.</p>
      <Link href="/" className="button primary">
        Paste a URL to watch
      </Link>
    </Empty>
  )
}
