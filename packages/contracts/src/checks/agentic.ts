import { z } from 'zod'
import { AgenticCheckResult } from '../results/code-result-detail.ts'
import { coreFields, minuteIssues, offsetField, offsetReadField, readOf, runtimeFields } from './base.ts'
import { CheckVariables, CheckVariablesRead } from './check-variables.ts'
import { type CheckDefinition, milliseconds } from './definition.ts'
import { AgenticFrequency } from './frequency.ts'

const AgentRuntime = z
  .object({ skills: z.array(z.string().min(1).max(200)).max(50).default([]) })
  .meta({ id: 'AgentRuntime' })

const input = z.object({
  ...coreFields,
  ...runtimeFields,
  checkType: z.literal('AGENTIC').default('AGENTIC'),
  frequency: AgenticFrequency.default(30).describe('Minutes'),
  ...offsetField,
  prompt: z.string().min(1).max(10_000).describe('What to verify, in words; {{NAME}} stands for a variable'),
  agentRuntime: AgentRuntime.default({ skills: [] }),
  environmentVariables: CheckVariables.nullable().default([]),
})

const AgenticCheck = z
  .object({ ...readOf(input), ...offsetReadField, environmentVariables: CheckVariablesRead.nullable() })
  .meta({ id: 'AgenticCheck' })

export const agenticCheck = {
  type: 'AGENTIC',
  path: 'agentic',
  name: 'AgenticCheck',
  title: 'an agentic check',
  input,
  read: AgenticCheck,
  issues: minuteIssues,
  capacity: 'code',
  // 10 minutes for the model, in the first run and when it repairs a script, and 1 minute for setup and uploads.
  runLimitMs: 660_000,
  retries: 'none',
  entitlement: { meter: null, feature: 'AGENTIC_CHECKS' },
  sources: {},
  metrics: { responseTime: milliseconds(0, 'Response time') },
  responseTimeMetric: 'responseTime',
  summary: { responseTime: 'responseTime' },
  analytics: null,
  result: { kind: 'code', field: 'agenticCheckResult', schema: AgenticCheckResult.nullable() },
  timingMetric: 'vedette_agentic_check_timing_seconds',
  example: {
    name: 'Shop in words',
    locations: ['us-east-1'],
    prompt: 'Open https://example.com and verify that the title says Example',
    agentRuntime: { skills: ['web-search'] },
  },
} satisfies CheckDefinition
