// The metrics of a code run, at the indexes of the contract.
import type { CheckType } from '@vedette/contracts'
import { maxMeasuredPages, pageMetricIndex, pageMetrics } from '@vedette/contracts/page-metrics'
import { arrangeMetrics, resultMetrics } from '@vedette/contracts/runs'
import { z } from 'zod'
import { measuredOrNull } from '../run/reported-result.ts'
import type { CodeOutcome } from './code-runner.ts'

type Measured = Pick<CodeOutcome, 'metrics' | 'detail'>

/** `responseTimeMs`: that of the result, so that both are the same number. */
export function codeMetrics(
  checkType: CheckType,
  outcome: Measured,
  responseTimeMs: number | null,
): (number | null)[] {
  const names: readonly string[] = resultMetrics[checkType]
  const values = Object.fromEntries(names.map((name) => [name, measuredOrNull(outcome.metrics[name])]))
  const metrics = arrangeMetrics(checkType, { ...values, responseTime: responseTimeMs })
  if (checkType !== 'BROWSER') return metrics
  for (const [page, visited] of pagesOf(outcome).entries()) {
    for (const name of pageMetrics) {
      const index = pageMetricIndex(name, page)
      if (index !== null) metrics[index] = vitalOf(visited, name)
    }
  }
  return metrics
}

function pagesOf({ detail }: Measured): unknown[] {
  return Array.isArray(detail.pages) ? detail.pages.slice(0, maxMeasuredPages) : []
}

const Page = z.object({ webVitals: z.record(z.string(), z.object({ value: z.unknown() }).nullable()) })

function vitalOf(page: unknown, name: string): number | null {
  return measuredOrNull(Page.safeParse(page).data?.webVitals[name]?.value)
}
