import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import {
  type CheckDefinition,
  type CheckValues,
  coreFields,
  evidenceField,
  evidenceReadField,
  networkRetryIssues,
  offsetField,
  offsetReadField,
  placementFields,
  readOf,
  retryFields,
  runtimeFields,
  scriptFileFields,
  scriptFileReadFields,
  sharedIssues,
} from './base.ts'
import { CheckVariables, CheckVariablesRead } from './check-variables.ts'
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
  environmentVariables: CheckVariables.nullable().default([]),
})

export const MultiStepCheck = z
  .object({
    ...readOf(input),
    ...offsetReadField,
    ...scriptFileReadFields,
    ...evidenceReadField,
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
  issues: (values) => [...sharedIssues(values), ...networkRetryIssues(values), ...runtimeIssues(values)],
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

/** The manifests of these say multiStepSupport: false; a test keeps the two in step. */
export const runtimesWithoutMultiStep = ['2023.02', '2022.10']

function runtimeIssues({ runtimeId }: CheckValues): FieldIssue[] {
  if (typeof runtimeId !== 'string' || !runtimesWithoutMultiStep.includes(runtimeId)) return []
  return [{ path: ['runtimeId'], message: 'must be a runtime with multi-step support' }]
}
