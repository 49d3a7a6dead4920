// The filters of the list of checks, as the address has them.
import type { OverviewCheck } from '../../api/types.ts'
import { isState, type StateName, typeLabels } from '../../core/states.ts'

type CheckType = OverviewCheck['checkType']

const sortColumns = [
  'name',
  'state',
  'type',
  'availability24h',
  'availability7d',
  'p95',
  'lastRunAt',
  'frequency',
  'group',
] as const

export type SortColumn = (typeof sortColumns)[number]

export interface Filters {
  query: string
  state: StateName[]
  type: CheckType[]
  tag: string[]
  location: string[]
  groupId: number | null
  isMuted: boolean
  sort: SortColumn
  order: 'asc' | 'desc'
  /** Null: those that were chosen in this browser. */
  columns: string[] | null
}

/** The worst first. */
export const defaultSort = { sort: 'state', order: 'asc' } as const

export function readFilters(search: URLSearchParams): Filters {
  const groupId = Number(search.get('groupId') ?? Number.NaN)
  const sort = sortColumns.find((column) => column === search.get('sort')) ?? defaultSort.sort
  return {
    query: search.get('query') ?? '',
    state: search.getAll('state').filter(isState),
    type: search.getAll('type').filter(isType),
    tag: search.getAll('tag'),
    location: search.getAll('location'),
    groupId: Number.isInteger(groupId) && groupId > 0 ? groupId : null,
    isMuted: search.get('muted') === 'true',
    sort,
    order: search.get('order') === 'desc' ? 'desc' : 'asc',
    columns: search.get('columns')?.split(',').filter(Boolean) ?? null,
  }
}

/** Only what differs from the defaults, so that addresses stay short. */
export function writeFilters(filters: Filters): URLSearchParams {
  const search = new URLSearchParams()
  if (filters.query !== '') search.set('query', filters.query)
  for (const name of ['state', 'type', 'tag', 'location'] as const) {
    for (const value of filters[name]) search.append(name, value)
  }
  if (filters.groupId !== null) search.set('groupId', String(filters.groupId))
  if (filters.isMuted) search.set('muted', 'true')
  if (filters.sort !== defaultSort.sort) search.set('sort', filters.sort)
  if (filters.order !== defaultSort.order) search.set('order', filters.order)
  if (filters.columns !== null) search.set('columns', filters.columns.join(','))
  return search
}

/** As the API takes them. */
export function queryOf({ query, groupId, isMuted, columns: _, ...rest }: Filters) {
  return {
    ...rest,
    ...(query.trim() === '' ? {} : { query: query.trim() }),
    ...(groupId === null ? {} : { groupId }),
    ...(isMuted ? { muted: true } : {}),
  }
}

/** As bulk actions take them. */
export function filterOf(filters: Filters) {
  const { sort: _sort, order: _order, ...filter } = queryOf(filters)
  return filter
}

export function isFiltered({ query, state, type, tag, location, groupId, isMuted }: Filters): boolean {
  return (
    query !== '' ||
    [state, type, tag, location].some((list) => list.length > 0) ||
    groupId !== null ||
    isMuted
  )
}

export const noFilters: Partial<Filters> = {
  query: '',
  state: [],
  type: [],
  tag: [],
  location: [],
  groupId: null,
  isMuted: false,
}

export function toggle<T>(list: readonly T[], value: T): T[] {
  return list.includes(value) ? list.filter((one) => one !== value) : [...list, value]
}

function isType(text: string): text is CheckType {
  return Object.hasOwn(typeLabels, text)
}
