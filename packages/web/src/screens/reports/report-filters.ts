// The filters and the order of a report, as the address has them.
import type { ResponseTo } from '../../api/call.ts'
import { typeLabels } from '../../core/states.ts'

export type Report = ResponseTo<'GET /v1/reports/checks'>
export type ReportEntry = Report['entries'][number]
type CheckType = ReportEntry['checkType']

const columns = [
  'name',
  'type',
  'availability',
  'runs',
  'failedRuns',
  'coverage',
  'missed',
  'avg',
  'p50',
  'p95',
  'p99',
] as const

export type Column = (typeof columns)[number]

export interface ReportFilters {
  query: string
  type: CheckType[]
  tag: string[]
  groupId: number | null
  sort: Column
  order: 'asc' | 'desc'
  /** From 1. */
  page: number
}

export const noFilters = { query: '', type: [], tag: [], groupId: null, page: 1 }

/** The least available first. */
const defaultOrder = { sort: 'availability', order: 'asc' } as const

export function readFilters(search: URLSearchParams): ReportFilters {
  const groupId = Number(search.get('groupId') ?? Number.NaN)
  const page = Number(search.get('page') ?? 1)
  return {
    query: search.get('query') ?? '',
    type: search.getAll('type').filter((text): text is CheckType => Object.hasOwn(typeLabels, text)),
    tag: search.getAll('tag'),
    groupId: Number.isInteger(groupId) && groupId > 0 ? groupId : null,
    sort: columns.find((column) => column === search.get('sort')) ?? defaultOrder.sort,
    order: search.get('order') === 'desc' ? 'desc' : 'asc',
    page: Number.isInteger(page) && page > 0 ? page : 1,
  }
}

/** Keeps the other parameters of the address, such as the period. */
export function writeFilters(search: URLSearchParams, filters: ReportFilters): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const name of ['query', 'type', 'tag', 'groupId', 'sort', 'order', 'page']) next.delete(name)
  if (filters.query !== '') next.set('query', filters.query)
  for (const name of ['type', 'tag'] as const) for (const value of filters[name]) next.append(name, value)
  if (filters.groupId !== null) next.set('groupId', String(filters.groupId))
  if (filters.sort !== defaultOrder.sort) next.set('sort', filters.sort)
  if (filters.order !== defaultOrder.order) next.set('order', filters.order)
  if (filters.page > 1) next.set('page', String(filters.page))
  return next
}

/** As the API takes them, without the page. */
export function queryOf({ query, type, tag, groupId, sort, order }: ReportFilters) {
  return {
    ...(query.trim() === '' ? {} : { query: query.trim() }),
    ...(groupId === null ? {} : { groupId }),
    ...{ type, tag, sort, order },
  }
}

export function isFiltered({ query, type, tag, groupId }: ReportFilters): boolean {
  return query !== '' || type.length > 0 || tag.length > 0 || groupId !== null
}

/** Texts and types begin at the start of the alphabet, figures with the worst. */
export function firstOrder(column: Column): 'asc' | 'desc' {
  return ['name', 'type', 'availability', 'coverage'].includes(column) ? 'asc' : 'desc'
}
