import { dayMs, invalidInput, type QuickRange } from '@vedette/contracts'
import { floorTo, type Range, rangeOf } from '../../analytics/range.ts'
import type { Deps } from '../transport/deps.ts'

interface RangeQuery {
  from?: number | undefined
  to?: number | undefined
  quickRange: QuickRange
}

export function requestedRange(query: RangeQuery, now: number): Range {
  const range = rangeOf(query, now)
  if (query.to !== undefined && range.to <= range.from) {
    throw invalidInput([{ path: ['to'], message: 'must be after from' }])
  }
  return range
}

/** The start of the retained results: earlier days are deleted, or may be at any moment. */
export function keptSince({ config, clock }: Pick<Deps, 'config' | 'clock'>): number {
  return floorTo(clock.now(), dayMs) - (config.RESULT_RETENTION_DAYS - 1) * dayMs
}
