// What was measured of a run of code, in the order of the contract.
import { maxMeasuredPages, pageMetrics } from '@vedette/contracts/page-metrics'
import { resultMetrics } from '@vedette/contracts/runs'
import { measuredOrNull } from '../reported-result.ts'
import type { CodeCheckType, CodeOutcome } from './code-run.ts'

type Measured = Pick<CodeOutcome, 'responseTimeMs' | 'metrics' | 'detail'>

/** Those of the run; of browser checks those of its pages behind them, up to the last one that was visited. */
export function codeMetrics(checkType: CodeCheckType, outcome: Measured): (number | null)[] {
  const { responseTimeMs, metrics } = outcome
  const ofRun = resultMetrics[checkType].map((name) =>
    measuredOrNull(name === 'responseTime' ? (metrics.responseTime ?? responseTimeMs) : metrics[name]),
  )
  return checkType === 'BROWSER' ? [...ofRun, ...pagesOf(outcome).flatMap(metricsOfPage)] : ofRun
}

function pagesOf({ detail }: Measured): unknown[] {
  return Array.isArray(detail.pages) ? detail.pages.slice(0, maxMeasuredPages) : []
}

interface Page {
  webVitals?: Record<string, { value?: unknown } | null>
}

function metricsOfPage(page: unknown): (number | null)[] {
  const vitals = (page as Page | null)?.webVitals
  return pageMetrics.map((name) => measuredOrNull(vitals?.[name]?.value))
}
