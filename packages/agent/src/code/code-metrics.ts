// What was measured of a run of code, at the indexes of the contract.
import type { CodeCheckType } from '@vedette/contracts'
import { maxMeasuredPages, pageMetricIndex, pageMetrics } from '@vedette/contracts/page-metrics'
import { arrangeMetrics, resultMetrics } from '@vedette/contracts/runs'
import { measuredOrNull } from '../run/reported-result.ts'
import type { CodeOutcome } from './code-run.ts'

type Measured = Pick<CodeOutcome, 'metrics' | 'detail'>

/** `responseTimeMs`: of the result, so that both are the same number. Pages: up to the last one that was visited. */
export function codeMetrics(
  checkType: CodeCheckType,
  outcome: Measured,
  responseTimeMs: number | null,
): (number | null)[] {
  const names: readonly string[] = resultMetrics[checkType]
  const values = Object.fromEntries(names.map((name) => [name, measuredOrNull(outcome.metrics[name])]))
  const metrics = arrangeMetrics(checkType, { ...values, responseTime: responseTimeMs })
  if (checkType !== 'BROWSER') return metrics
  for (const [page, visited] of pagesOf(outcome).entries()) {
    for (const name of pageMetrics) metrics[pageMetricIndex(name, page) as number] = vitalOf(visited, name)
  }
  return metrics
}

function pagesOf({ detail }: Measured): unknown[] {
  return Array.isArray(detail.pages) ? detail.pages.slice(0, maxMeasuredPages) : []
}

interface Page {
  webVitals?: Record<string, { value?: unknown } | null>
}

function vitalOf(page: unknown, name: string): number | null {
  return measuredOrNull((page as Page | null)?.webVitals?.[name]?.value)
}
