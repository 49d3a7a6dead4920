// What was measured of a run of code, in the order of the contract. Its constants are copies, held to it by a test.
import type { resultMetrics } from '@vedette/contracts'
import { measuredOrNull } from '../reported-result.ts'
import type { CodeCheckType, CodeOutcome } from './code-run.ts'

export const codeMetricNames: { [T in CodeCheckType]: (typeof resultMetrics)[T] } = {
  BROWSER: [
    'responseTime',
    'TTFB',
    'FCP',
    'LCP',
    'CLS',
    'TBT',
    'consoleErrors',
    'networkErrors',
    'userScriptErrors',
    'documentErrors',
  ],
  MULTI_STEP: ['responseTime'],
  PLAYWRIGHT: ['responseTime'],
  AGENTIC: ['responseTime'],
}

export const pageMetricNames = ['TTFB', 'FCP', 'LCP', 'CLS', 'TBT'] as const
export const maxMeasuredPages = 10

type Measured = Pick<CodeOutcome, 'responseTimeMs' | 'metrics' | 'detail'>

/** Those of the run; of browser checks those of its pages behind them, up to the last one that was visited. */
export function codeMetrics(checkType: CodeCheckType, outcome: Measured): (number | null)[] {
  const { responseTimeMs, metrics } = outcome
  const ofRun = codeMetricNames[checkType].map((name) =>
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
  return pageMetricNames.map((name) => measuredOrNull(vitals?.[name]?.value))
}
