import { z } from 'zod'
import {
  type CheckDefinition,
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
  checkType: z.literal('BROWSER').default('BROWSER'),
  frequency: ScriptFrequency.default(10).describe('Minutes'),
  ...offsetField,
  script: z.string().max(5_000_000).nullable().describe('Node.js code that drives a browser'),
  ...scriptFileFields,
  ...evidenceField,
  sslCheckDomain: z.string().max(2048).nullable().default(null).describe('Host whose certificate is watched'),
  environmentVariables: CheckVariables.nullable().default([]),
})

export const BrowserCheck = z
  .object({
    ...readOf(input),
    ...offsetReadField,
    ...scriptFileReadFields,
    ...evidenceReadField,
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
  issues: (values) => [...sharedIssues(values), ...networkRetryIssues(values)],
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
