// Metrics of the pages of a browser check. Results and rollups store them in the array of the run, page by page in the
// order of visits, at separate indexes.
import type { CheckType } from '../checks/index.ts'
import { metricIndexes } from '../runs/runs.ts'

/** In the order of their indexes, which are frozen like `metricIndexes`. */
export const pageMetrics = ['TTFB', 'FCP', 'LCP', 'CLS', 'TBT'] as const

/** Metrics of further pages are only in the evidence. */
export const maxMeasuredPages = 10

/** Frozen: page p has its metrics at 10 + 5p to 14 + 5p. */
const firstPageIndex = 10
const indexesPerPage = 5

/** The index of a metric of a page; null for metrics of the whole run. */
export function pageMetricIndex(metric: (typeof pageMetrics)[number], page: number): number
export function pageMetricIndex(metric: string, page: number): number | null
export function pageMetricIndex(metric: string, page: number): number | null {
  const names: readonly string[] = pageMetrics
  const offset = names.indexOf(metric)
  return offset === -1 ? null : firstPageIndex + page * indexesPerPage + offset
}

/** The page that an index belongs to; null: it belongs to the run. */
export function pageOfIndex(index: number): number | null {
  const page = Math.floor((index - firstPageIndex) / indexesPerPage)
  return page >= 0 && page < maxMeasuredPages ? page : null
}

/** Indexes of all metrics: those of the run by name, those of pages as `0.TTFB`. */
type MetricLayout = Readonly<Record<string, number>>

export function metricLayoutOf(type: CheckType): MetricLayout {
  if (type !== 'BROWSER') return metricIndexes[type]
  const pages = Array.from({ length: maxMeasuredPages }, (_, page) => page)
  const ofPages = pages.flatMap((page) =>
    pageMetrics.map((name) => [`${page}.${name}`, pageMetricIndex(name, page)] as const),
  )
  return { ...metricIndexes.BROWSER, ...Object.fromEntries(ofPages) }
}

/** Layouts of earlier releases of the agent, by version. Version 1 is the current one, so there are none yet. */
const earlierLayouts: Readonly<Record<number, Partial<Record<CheckType, MetricLayout>>>> = {}

/**
 * Converts reported metrics to the current layout. Values of an earlier layout move to their current index by name. A later
 * layout only adds indexes, so its values stay where they are; this release doesn't read the new ones.
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
    const value = Object.hasOwn(from, name) ? metrics[from[name] ?? -1] : null
    if (value != null) moved[index] = value
  }
  return Array.from(moved, (value) => value ?? null)
}
