// The evidence of a run of code: browser and multi-step checks, suites of browser tests, agentic checks.
import { z } from 'zod'

const Values = z.record(z.string(), z.unknown())
const texts = z.array(z.string()).optional()
const milliseconds = z.number().optional().describe('Milliseconds since 1970')

export const RunIsolation = z
  .object({
    level: z.enum(['strong', 'same-user', 'fallback']),
    limits: z.enum(['cgroup', 'polling']).describe('Limited by the kernel, or measured by the agent'),
  })
  .describe('How the agent isolated the code of the run, and how it limited its memory and processes')

const shared = {
  isolation: RunIsolation.optional(),
  jobLog: z.array(z.unknown()).nullable().optional(),
  jobAssets: z.array(z.string()).nullable().optional(),
  pcapDataUrl: z.string().nullable().optional(),
}
const errorObjects = z.array(Values).nullable().optional()
const testFiles = {
  playwrightTestVideos: texts,
  playwrightTestTraces: texts,
  playwrightTestJsonReportFile: z.string().optional(),
}
const script = {
  ...shared,
  ...testFiles,
  errors: z.array(z.unknown()).optional().describe('Texts, or objects with message and stack'),
  startTime: milliseconds,
  endTime: milliseconds,
  runtimeVersion: z.string().optional(),
}

export const BrowserCheckResult = z
  .looseObject({
    ...script,
    type: z.string().optional(),
    traceSummary: Values.optional().describe('How many errors there were, by kind'),
    pages: z.array(Values).optional().describe('Address, web vitals and timings of each page'),
  })
  .meta({ id: 'BrowserCheckResult' })

export const MultiStepCheckResult = z.looseObject(script).meta({ id: 'MultiStepCheckResult' })

export const PlaywrightCheckResult = z
  .looseObject({
    ...shared,
    ...testFiles,
    errors: errorObjects,
    playwrightTraceFiles: z
      .array(z.looseObject({ url: z.string(), name: z.string(), filename: z.string() }))
      .nullable()
      .optional(),
  })
  .meta({ id: 'PlaywrightCheckResult' })

const text = z.string().optional()

export const AgenticCheckResult = z
  .looseObject({
    ...shared,
    errors: errorObjects,
    summary: z.string().nullable().optional(),
    prompt: z.string().nullable().optional(),
    assertions: z
      .array(z.looseObject({ condition: text, passed: z.boolean().optional(), actual: text, expected: text }))
      .nullable()
      .optional(),
    suggestions: z
      .array(
        z.looseObject({
          summary: text,
          prompt: text,
          promptReplacement: text,
          secrets: texts,
          category: z.enum(['credentials', 'endpoint', 'configuration']).optional(),
        }),
      )
      .nullable()
      .optional(),
    steps: z
      .array(
        z.looseObject({
          type: z.enum(['tool_call', 'tool_result', 'message']).optional(),
          name: text,
          input: Values.optional(),
          output: text,
          timestamp: text,
          sequenceNumber: z.int().optional(),
        }),
      )
      .nullable()
      .optional(),
    artifactManifest: Values.nullable().optional().describe('What each file is, by its path'),
  })
  .meta({ id: 'AgenticCheckResult' })
