// The tests and steps of a check that runs code: how long they take, and which of them are flaky.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'

export const testOutcomes = ['passed', 'failed', 'flaky', 'skipped'] as const
export type TestOutcome = (typeof testOutcomes)[number]

const milliseconds = z.number().nullable().describe('Milliseconds; null: it never ran')

const TestStep = z.object({
  title: z.string().describe('With the steps around it'),
  runs: z.int(),
  failed: z.int(),
  durationP50: milliseconds,
  durationP95: milliseconds,
})

const CheckTest = z
  .object({
    title: z.string().describe('With its project and the blocks around it'),
    file: z.string().nullable().describe('Of suites'),
    runs: z.int().describe('Runs that have it'),
    passed: z.int(),
    failed: z.int(),
    flaky: z
      .int()
      .describe('It failed and then passed: on a retry of the test, or in a later attempt of the same run'),
    skipped: z.int(),
    durationP50: milliseconds,
    durationP95: milliseconds,
    lastRuns: z
      .array(
        z.object({
          resultId: Uuid,
          startedAt: Timestamp,
          outcome: z.enum(testOutcomes),
          duration: milliseconds,
        }),
      )
      .describe('At most 30, in order of time'),
    steps: z.array(TestStep).describe('Named by `test.step`, in their order in the last run; at most 50'),
  })
  .meta({ id: 'CheckTest' })

export type CheckTest = z.output<typeof CheckTest>

const CheckTests = z
  .object({
    runs: z.int().describe('Runs that were read'),
    since: Timestamp.nullable().describe('When the first of them started; null: there is none'),
    hasMore: z.boolean().describe('The range has earlier runs, which were not read'),
    total: z.int().describe('Tests in these runs'),
    tests: z.array(CheckTest).describe('At most 200: failed and flaky ones first, then the slowest'),
  })
  .meta({ id: 'CheckTests' })

export type CheckTests = z.output<typeof CheckTests>

export const getCheckTests = route({
  method: 'GET',
  path: '/v1/checks/{id}/tests',
  tag: 'Checks',
  summary: 'Read the durations of the tests and steps of a check, and which are flaky',
  description:
    'Of browser checks, multi-step checks and suites of browser tests; other checks have none. Read from the evidence of ' +
    'the last runs in the range: at most 200 results and 8 MB.',
  access: 'READ_ONLY',
  params: z.object({ id: Uuid }),
  query: z.object({
    from: UnixSeconds.optional().describe('UNIX time in seconds, inclusive; absent: 24 hours before `to`'),
    to: UnixSeconds.optional().describe('UNIX time in seconds, exclusive; absent: now'),
  }),
  status: 200,
  response: CheckTests,
})
