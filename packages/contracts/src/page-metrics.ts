// What is measured of the pages of a browser check. In results and rollups it stands behind the metrics of the run, page by
// page as they were visited: so it is added up like any other metric.
import { resultMetrics } from './runs.ts'

export const pageMetrics = ['TTFB', 'FCP', 'LCP', 'CLS', 'TBT'] as const

/** What a run visits beyond these is kept with its evidence only. */
export const maxMeasuredPages = 10

/** Where the value of a page stands; null for what is measured of the run as a whole. */
export function pageSlot(metric: string, page: number): number | null {
  const place = (pageMetrics as readonly string[]).indexOf(metric)
  return place === -1 ? null : resultMetrics.BROWSER.length + page * pageMetrics.length + place
}
