import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { MultiStepCheckResult } from '../results/code-result-detail.ts'
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
import { type CheckDefinition, type CheckValues, milliseconds } from './definition.ts'
import { ScriptFrequency } from './frequency.ts'

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('MULTI_STEP').default('MULTI_STEP'),
  frequency: ScriptFrequency.default(10).describe('Minutes'),
  ...offsetField,
  script: z.string().max(5_000_000).nullable().describe('Node.js code of several requests'),
  ...scriptFileFields,
  ...evidenceField,
  ...keptResponseTimes,
  ...playwrightFields,
  environmentVariables: CheckVariables.nullable().default([]),
})

const MultiStepCheck = z
  .object({
    ...readOf(input),
    ...offsetReadField,
    ...scriptFileReadFields,
    ...evidenceReadField,
    ...keptResponseTimes,
    ...playwrightReadFields,
    environmentVariables: CheckVariablesRead.nullable(),
  })
  .meta({ id: 'MultiStepCheck' })

export const multiStepCheck = {
  type: 'MULTI_STEP',
  path: 'multistep',
  name: 'MultiStepCheck',
  title: 'a multi-step check',
  input,
  read: MultiStepCheck,
  issues: (values) => [...minuteIssues(values), ...runtimeIssues(values)],
  capacity: 'code',
  // 4 minutes for the script, and 1 minute for setup and uploads.
  runLimitMs: 300_000,
  retries: 'any',
  entitlement: { meter: 'API_CHECKS' },
  sources: {},
  metrics: { responseTime: milliseconds(0, 'Response time') },
  responseTimeMetric: 'responseTime',
  summary: { responseTime: 'responseTime' },
  analytics: { path: 'multistep-checks', groupBy: ['runLocation'] },
  result: { kind: 'code', field: 'multiStepCheckResult', schema: MultiStepCheckResult.nullable() },
  timingMetric: 'vedette_multistep_check_timing_seconds',
  example: {
    name: 'Order and cancel',
    locations: ['us-west-2'],
    frequency: 30,
    script:
      "import { test, expect } from '@playwright/test'\n" +
      "test('orders', async ({ request }) => {\n" +
      "  expect((await request.get('https://example.com/orders')).ok()).toBe(true)\n" +
      '})\n',
  },
} satisfies CheckDefinition

/** Their manifests have multiStepSupport: false; a test compares both. */
export const runtimesWithoutMultiStep = ['2023.02', '2022.10']

function runtimeIssues({ runtimeId }: CheckValues): FieldIssue[] {
  if (typeof runtimeId !== 'string' || !runtimesWithoutMultiStep.includes(runtimeId)) return []
  return [{ path: ['runtimeId'], message: 'must be a runtime with multi-step support' }]
}
