import { z } from 'zod'
import {
  type CheckDefinition,
  coreFields,
  offsetField,
  offsetReadField,
  readOf,
  runtimeFields,
  sharedIssues,
} from './base.ts'
import { CheckVariables, CheckVariablesRead } from './check-variables.ts'
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

export const AgenticCheck = z
  .object({ ...readOf(input), ...offsetReadField, environmentVariables: CheckVariablesRead.nullable() })
  .meta({ id: 'AgenticCheck' })

export const agenticCheck = {
  type: 'AGENTIC',
  path: 'agentic',
  name: 'AgenticCheck',
  title: 'an agentic check',
  input,
  read: AgenticCheck,
  issues: sharedIssues,
  example: {
    name: 'Shop in words',
    locations: ['us-east-1'],
    prompt: 'Open https://example.com and verify that the title says Example',
    agentRuntime: { skills: ['web-search'] },
  },
} satisfies CheckDefinition
