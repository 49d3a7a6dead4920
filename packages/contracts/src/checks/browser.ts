import { z } from 'zod'
import { BrowserCheckResult } from '../results/code-result-detail.ts'
import {
  coreFields,
  evidenceField,
  evidenceReadField,
  keptResponseTimes,
  minuteIssues,
  offsetField,
  offsetReadField,
  placementFields,
  playwrightFields,
  playwrightReadFields,
  readOf,
  retryFields,
  runtimeFields,
  scriptFileFields,
  scriptFileReadFields,
} from './base.ts'
import { CheckVariables, CheckVariablesRead } from './check-variables.ts'
import { type CheckDefinition, milliseconds } from './definition.ts'
import { ScriptFrequency } from './frequency.ts'

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('BROWSER').default('BROWSER'),
  frequency: ScriptFrequency.default(10).describe('Minutes'),
  ...offsetField,
  script: z.string().max(5_000_000).nullable().describe('Node.js code that drives a browser'),
  ...scriptFileFields,
  ...evidenceField,
  ...keptResponseTimes,
  ...playwrightFields,
  sslCheckDomain: z.string().max(2048).nullable().default(null).describe('Host whose certificate is watched'),
  environmentVariables: CheckVariables.nullable().default([]),
})

const BrowserCheck = z
  .object({
    ...readOf(input),
    ...offsetReadField,
    ...scriptFileReadFields,
    ...evidenceReadField,
    ...keptResponseTimes,
    ...playwrightReadFields,
    environmentVariables: CheckVariablesRead.nullable(),
  })
  .meta({ id: 'BrowserCheck' })

export const browserCheck = {
  type: 'BROWSER',
  path: 'browser',
  name: 'BrowserCheck',
  title: 'a browser check',
  input,
  read: BrowserCheck,
  issues: (values) => [...minuteIssues(values)],
  capacity: 'code',
  // 4 minutes for the script, and 1 minute to start the sandbox and the browser, to scrub files and to upload them.
  runLimitMs: 300_000,
  retries: 'any',
  entitlement: { meter: 'BROWSER_CHECKS' },
  sources: {},
  // 10 to 59 belong to pages (results/page-metrics.ts): new metrics of the run begin at 60.
  metrics: {
    responseTime: milliseconds(0, 'Response time'),
    TTFB: milliseconds(1, 'Time to first byte'),
    FCP: milliseconds(2, 'First contentful paint'),
    LCP: milliseconds(3, 'Largest contentful paint'),
    CLS: { index: 4, unit: 'score', label: 'Cumulative layout shift' },
    TBT: milliseconds(5, 'Total blocking time'),
    consoleErrors: { index: 6, unit: 'count', label: 'Console errors' },
    networkErrors: { index: 7, unit: 'count', label: 'Network errors' },
    userScriptErrors: { index: 8, unit: 'count', label: 'User script errors' },
    documentErrors: { index: 9, unit: 'count', label: 'Document errors' },
  },
  responseTimeMetric: 'responseTime',
  summary: { responseTime: 'responseTime' },
  analytics: { path: 'browser-checks', groupBy: ['runLocation', 'pageIndex'] },
  result: { kind: 'code', field: 'browserCheckResult', schema: BrowserCheckResult.nullable() },
  timingMetric: 'vedette_browser_check_timing_seconds',
  example: {
    name: 'Sign in',
    locations: ['eu-west-2'],
    frequency: 15,
    runtimeId: '2026.04',
    script:
      "import { test, expect } from '@playwright/test'\n" +
      "test('sign in', async ({ page }) => {\n" +
      "  await page.goto('https://example.com')\n" +
      '  await expect(page).toHaveTitle(/Example/)\n' +
      '})\n',
    environmentVariables: [{ key: 'PASSWORD', value: 'hunter2', secret: true }],
  },
} satisfies CheckDefinition
