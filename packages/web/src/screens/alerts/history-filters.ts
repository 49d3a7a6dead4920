// The filters of the history, as the address has them.
import { readRange, type TimeRange } from '../../core/time-range.ts'
import { type HeldBy, isHeldBy } from './held-reasons.ts'

export const views = { alerts: 'Alerts', deliveries: 'Deliveries', alarms: 'Location alarms' } as const
export type View = keyof typeof views

export const alertKinds = {
  failure: 'Failures',
  degraded: 'Degraded',
  recovery: 'Recoveries',
  ssl: 'Certificates',
  held: 'Held back',
} as const

export const deliveryKinds = {
  failure: 'Failures',
  degraded: 'Degraded',
  recovery: 'Recoveries',
  ssl: 'Certificates',
  unknown: 'Checks that don’t run',
  resumed: 'Checks that run again',
} as const

export const deliveryStatuses = {
  SUCCESS: 'Delivered',
  FAILURE: 'Failed',
  IN_PROGRESS: 'Waiting',
  RATE_LIMITED: 'Rate limited',
} as const

export type DeliveryKind = keyof typeof deliveryKinds
export type DeliveryStatus = keyof typeof deliveryStatuses

export interface HistoryFilters {
  view: View
  checkId: string | null
  channelId: number | null
  kind: string | null
  status: DeliveryStatus | null
  heldBy: HeldBy | null
  range: TimeRange
}

export function readHistoryFilters(search: URLSearchParams, nowMs: number): HistoryFilters {
  const view = search.get('view')
  const channelId = Number(search.get('channel') ?? Number.NaN)
  const status = search.get('status')
  const heldBy = search.get('heldBy')
  // A week unless the address says otherwise: a day is often empty.
  const withRange = new URLSearchParams(search)
  if (!search.has('range')) withRange.set('range', '7d')
  return {
    view: isKey(views, view) ? view : 'alerts',
    checkId: search.get('check'),
    channelId: Number.isInteger(channelId) && channelId > 0 ? channelId : null,
    kind: search.get('kind'),
    status: isKey(deliveryStatuses, status) ? status : null,
    heldBy: isHeldBy(heldBy) ? heldBy : null,
    range: readRange(withRange, nowMs),
  }
}

const names = {
  checkId: 'check',
  channelId: 'channel',
  kind: 'kind',
  status: 'status',
  heldBy: 'heldBy',
} as const

export type FilterName = keyof typeof names

/** Null removes the filter. */
export function withFilter(
  search: URLSearchParams,
  filter: FilterName | 'view' | 'range',
  value: string | number | null,
): URLSearchParams {
  const next = new URLSearchParams(search)
  const name = filter === 'view' || filter === 'range' ? filter : names[filter]
  const isDefault = (filter === 'view' && value === 'alerts') || (filter === 'range' && value === '7d')
  if (value === null || isDefault) next.delete(name)
  else next.set(name, String(value))
  // What isn't true of the other lists.
  if (filter === 'view') for (const other of ['kind', 'heldBy']) next.delete(other)
  if (filter === 'kind' && value !== 'held') next.delete('heldBy')
  if (filter === 'range') for (const other of ['from', 'to']) next.delete(other)
  return next
}

export function withoutFilters(search: URLSearchParams): URLSearchParams {
  const next = new URLSearchParams(search)
  for (const name of Object.values(names)) next.delete(name)
  return next
}

export function isHistoryFiltered({ checkId, channelId, kind, status, heldBy }: HistoryFilters): boolean {
  return [checkId, channelId, kind, status, heldBy].some((value) => value !== null)
}

export function isKey<T extends object>(values: T, key: string | null): key is string & keyof T {
  return key !== null && Object.hasOwn(values, key)
}
