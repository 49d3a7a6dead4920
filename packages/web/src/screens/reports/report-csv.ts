// A report as a table for spreadsheets.
import { type Cell, toCsv } from '../../core/csv.ts'
import type { ReportEntry } from './report-filters.ts'

const figureNames = [
  ['availability', 'availability %'],
  ['runs', 'runs'],
  ['failedRuns', 'failed runs'],
  ['coverage', 'coverage %'],
  ['missed', 'missed runs'],
  ['avg', 'average ms'],
  ['p50', 'p50 ms'],
  ['p95', 'p95 ms'],
  ['p99', 'p99 ms'],
] as const

export function reportAsCsv(entries: readonly ReportEntry[]): string {
  const head: Cell[] = [
    ...['check', 'id', 'type', 'group', 'tags', 'active'],
    ...figureNames.map(([, label]) => label),
    ...figureNames.map(([, label]) => `previous ${label}`),
  ]
  const rows = entries.map((entry): Cell[] => [
    entry.name,
    entry.checkId,
    entry.checkType,
    entry.groupName,
    entry.tags.join(' '),
    entry.activated ? 'yes' : 'no',
    ...figureNames.map(([name]) => entry.figures[name]),
    ...figureNames.map(([name]) => entry.previous[name]),
  ])
  return toCsv([head, ...rows])
}
