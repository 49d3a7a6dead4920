// The columns of the list of checks.
import type { ReactNode } from 'react'
import type { OverviewCheck } from '../../api/types.ts'
import { formatDuration, formatPercent } from '../../core/format.ts'
import { periodInWords } from '../../core/schedule-words.ts'
import { stateLabels, typeLabels } from '../../core/states.ts'
import { RunTicks } from '../../parts/run-ticks.tsx'
import { StateIcon } from '../../parts/state-icon.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import type { SortColumn } from './filters.ts'

export interface Column {
  id: string
  label: string
  /** In pixels. */
  width: number
  /** Columns with higher numbers are left out first if there isn't enough space. */
  rank: number
  sort?: SortColumn
  isNumber?: boolean
  cell(check: OverviewCheck, nameOf: (location: string) => string): ReactNode
}

/** The name isn't listed: it is always there, and a link. */
export const columns: readonly Column[] = [
  {
    ...{ id: 'state', label: 'State', width: 124, rank: 0, sort: 'state' },
    cell: ({ state, reason }) => (
      <span className={`state ${state}`} title={reason}>
        <StateIcon state={state} />
        {stateLabels[state]}
      </span>
    ),
  },
  {
    id: 'type',
    label: 'Type',
    width: 76,
    rank: 6,
    sort: 'type',
    cell: ({ checkType }) => typeLabels[checkType],
  },
  {
    ...{ id: 'availability24h', label: '24 h', width: 68, rank: 1, sort: 'availability24h', isNumber: true },
    cell: ({ availability24h }) => percent(availability24h),
  },
  {
    ...{ id: 'availability7d', label: '7 d', width: 68, rank: 5, sort: 'availability7d', isNumber: true },
    cell: ({ availability7d }) => percent(availability7d),
  },
  {
    ...{ id: 'p95', label: 'p95', width: 68, rank: 2, sort: 'p95', isNumber: true },
    cell: ({ p95 }) => (p95 === null ? '–' : formatDuration(p95)),
  },
  { id: 'runs', label: 'Last 30 runs', width: 120, rank: 0, cell: ({ runs }) => <RunTicks runs={runs} /> },
  {
    ...{ id: 'frequency', label: 'Frequency', width: 116, rank: 8, sort: 'frequency' },
    cell: ({ checkType, frequency, frequencyOffset }) =>
      checkType === 'HEARTBEAT' ? 'by pings' : periodInWords(frequency, frequencyOffset),
  },
  {
    ...{ id: 'locations', label: 'Locations', width: 116, rank: 7 },
    cell: ({ locations, privateLocations }, nameOf) => {
      const names = [...locations, ...privateLocations].map(nameOf)
      return (
        <div className="cut" title={names.join(', ')}>
          {names.length > 1 ? `${names[0]} +${names.length - 1}` : names[0]}
        </div>
      )
    },
  },
  {
    ...{ id: 'lastRunAt', label: 'Last run', width: 84, rank: 3, sort: 'lastRunAt' },
    cell: ({ lastRunAt }) => (lastRunAt === null ? 'never' : <RelativeTime at={lastRunAt} />),
  },
]

const tagsColumn = { width: 120, rank: 4 }
const nameWidth = 240
const gap = 12
/** The checkbox and the menu. */
const controlsWidth = 16 + 24 + 2 * gap

/** Those that fit beside the name. `null` width: not measured yet. */
export function fitColumns(
  hidden: readonly string[],
  width: number | null,
): { shown: readonly Column[]; hasTags: boolean } {
  const wanted = [...columns, { id: 'tags', ...tagsColumn }].filter(({ id }) => !hidden.includes(id))
  let space = (width ?? 1200) - nameWidth - controlsWidth - 2 * gap
  const fitting = new Set<string>()
  for (const column of wanted.sort((a, b) => a.rank - b.rank)) {
    space -= column.width + gap
    if (space < 0) break
    fitting.add(column.id)
  }
  return { shown: columns.filter(({ id }) => fitting.has(id)), hasTags: fitting.has('tags') }
}

export const columnIds = [...columns.map(({ id }) => id), 'tags']

function percent(value: number | null): string {
  return value === null ? '–' : formatPercent(value)
}
