import { z } from 'zod'
import { addition } from '../core/fields.ts'
import { PlaywrightCheckResult } from '../results/code-result-detail.ts'
import { coreFields, minuteIssues, offsetField, offsetReadField, placementFields, readOf } from './base.ts'
import { CheckVariables, CheckVariablesRead } from './check-variables.ts'
import { type CheckDefinition, milliseconds } from './definition.ts'
import { ScriptFrequency } from './frequency.ts'

const text = z.string().max(2000)
const Engine = z.enum(['node', 'bun'])

// Without runtime and retries: suites have their own.
const input = z.object({
  ...coreFields,
  ...placementFields,
  checkType: z.literal('PLAYWRIGHT').default('PLAYWRIGHT'),
  frequency: ScriptFrequency.default(10).describe('Minutes'),
  ...offsetField,
  codeBundlePath: text.min(1).describe('Where the uploaded archive of the suite is kept'),
  cacheHash: text.nullable().default(null),
  playwrightVersion: text.nullable().default(null),
  workingDir: text.nullable().default(null),
  testCommand: text.min(1).nullable().default('npx playwright test').describe('null: npx playwright test'),
  installCommand: text.nullable().default('').describe('Empty or null: by the lock file of the archive'),
  browsers: z.array(z.string().min(1).max(100)).max(20).default(['chromium']),
  engine: Engine.nullable().optional(),
  engineVersion: z.string().max(50).nullable().default(null),
  environmentVariables: CheckVariables.nullable().default([]),
})

const PlaywrightCheck = z
  .object({
    ...readOf(input),
    ...offsetReadField,
    engine: Engine.optional(),
    environmentVariables: CheckVariablesRead.nullable(),
  })
  .meta({ id: 'PlaywrightCheck' })

export const playwrightCheck = {
  type: 'PLAYWRIGHT',
  path: 'playwright',
  name: 'PlaywrightCheck',
  title: 'a Playwright suite',
  input,
  read: PlaywrightCheck,
  issues: minuteIssues,
  capacity: 'code',
  // 5 minutes to install, 30 to run, 5 to upload the files of many tests.
  runLimitMs: 2_400_000,
  retries: 'none',
  entitlement: { meter: 'PLAYWRIGHT_CHECKS' },
  sources: {},
  metrics: { responseTime: milliseconds(0, 'Response time') },
  responseTimeMetric: 'responseTime',
  summary: { responseTime: 'responseTime' },
  analytics: {
    path: 'playwright-checks',
    title: 'a Playwright check suite',
    groupBy: ['runLocation'],
    unmeasured: ['LCP', 'CLS', 'TBT'],
  },
  result: {
    kind: 'code',
    field: 'playwrightCheckResult',
    schema: addition(PlaywrightCheckResult.nullable()),
  },
  timingMetric: 'vedette_playwright_check_timing_seconds',
  example: {
    name: 'Checkout suite',
    locations: ['eu-north-1'],
    frequency: 60,
    codeBundlePath: 'code-bundles/checkout.tar.gz',
    browsers: ['chromium', 'firefox'],
    installCommand: 'npm ci',
  },
} satisfies CheckDefinition
