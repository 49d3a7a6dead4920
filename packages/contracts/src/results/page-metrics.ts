// What is measured of the pages of a browser check. Results and rollups store it in the array of the run, page by page as they
// were visited, at indexes of their own.
import type { CheckType } from '../checks/index.ts'
import { metricIndexes } from '../runs/runs.ts'

export const pageMetrics = ['TTFB', 'FCP', 'LCP', 'CLS', 'TBT'] as const

/** What a run visits beyond these is kept with its evidence only. */
export const maxMeasuredPages = 10

/** Frozen like `metricIndexes`: page p has its metrics at 10 + 5p to 14 + 5p. */
const firstPageIndex = 10
const indexesPerPage = 5
const pageMetricOffsets: Readonly<Record<string, number>> = { TTFB: 0, FCP: 1, LCP: 2, CLS: 3, TBT: 4 }

/** The index of a page's value; null for what is measured of the run as a whole. */
export function pageMetricIndex(metric: string, page: number): number | null {
  const offset = Object.hasOwn(pageMetricOffsets, metric) ? pageMetricOffsets[metric] : undefined
  return offset === undefined ? null : firstPageIndex + page * indexesPerPage + offset
}

/** Which page an index belongs to; null: none, it is of the run. */
export function pageOfIndex(index: number): number | null {
  const page = Math.floor((index - firstPageIndex) / indexesPerPage)
  return page >= 0 && page < maxMeasuredPages ? page : null
}

/** Every metric with its index: those of the run by name, those of pages as `0.TTFB`. */
type MetricLayout = Readonly<Record<string, number>>

export function metricLayoutOf(type: CheckType): MetricLayout {
  if (type !== 'BROWSER') return metricIndexes[type]
  const pages = Array.from({ length: maxMeasuredPages }, (_, page) => page)
  const ofPages = pages.flatMap((page) =>
    pageMetrics.map((name) => [`${page}.${name}`, pageMetricIndex(name, page) as number] as const),
  )
  return { ...metricIndexes.BROWSER, ...Object.fromEntries(ofPages) }
}

/** Layouts that agents of earlier releases report, by version. Version 1 is the current one, so there is none yet. */
const earlierLayouts: Readonly<Record<number, Partial<Record<CheckType, MetricLayout>>>> = {}

/**
 * What an agent reported, in the current layout. Values of an earlier layout move to their current index by name. A later
 * layout only adds indexes, so its values stay where they are: this release doesn't read the new ones, a later one will.
 */
export function toCurrentLayout(
  type: CheckType,
  metrics: (number | null)[],
  version: number,
  earlier: typeof earlierLayouts = earlierLayouts,
): (number | null)[] {
  const from = earlier[version]?.[type]
  if (from === undefined) return metrics
  const moved: (number | null)[] = []
  for (const [name, index] of Object.entries(metricLayoutOf(type))) {
    const value = Object.hasOwn(from, name) ? metrics[from[name] as number] : null
    if (value != null) moved[index] = value
  }
  return Array.from(moved, (value) => value ?? null)
}
