// Parses the lines of our reporter in the cell, which are untrusted.
import { z } from 'zod'
import { parseJson } from '../core/parse-json.ts'
import { plain } from './playwright-messages.ts'

const text = z.string().max(20_000)

/** Limits the agent's work: more lines than a suite has tests, or invalid ones, are ignored. */
const maxLines = 20_000
const maxLineChars = 1_200_000
const maxInvalidChars = 200_000
/** Minimum cost of a line. */
const lineChars = 1_000

const Result = z.object({
  kind: z.literal('result'),
  id: text,
  title: text,
  suitePath: z.array(text).max(50),
  projectName: text,
  file: text,
  line: z.number(),
  status: z.enum(['passed', 'failed', 'timedOut', 'skipped', 'interrupted']),
  expectedStatus: text,
  retry: z.number(),
  startTime: z.number(),
  duration: z.number(),
  errors: z.array(z.object({ message: text, stack: text, isSoft: z.boolean() })).max(20),
  steps: z
    .array(z.object({ title: text, duration: z.number(), hasFailed: z.boolean() }))
    .max(50)
    .catch([]),
  attachments: z.array(z.object({ name: text, contentType: text, path: text })).max(50),
})

export const testOutcomes = ['expected', 'unexpected', 'flaky', 'skipped'] as const
const Outcome = z.enum(testOutcomes)
const Outcomes = z.record(z.string(), Outcome.nullable().catch(null)).catch({})

const Line = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('begin'), tests: z.number(), html: text.nullable() }),
  Result,
  z.object({ kind: z.literal('error'), message: text, stack: text }),
  z.object({ kind: z.literal('end'), status: text, outcomes: Outcomes }),
])

type Result = z.output<typeof Result>

export type TestOutcome = z.output<typeof Outcome>

export interface ReportedTest
  extends Pick<Result, 'id' | 'title' | 'suitePath' | 'projectName' | 'file' | 'line'> {
  outcome: TestOutcome
  /** The last one counts. */
  attempts: Result[]
}

export interface TestReport {
  /** The number of tests, over all runners of the command. */
  planned: number
  tests: ReportedTest[]
  /** Outside tests: a configuration that doesn't load, a server that doesn't start. */
  errors: { message: string; stack: string }[]
  /** False: the runner was interrupted. */
  isWhole: boolean
  htmlReports: string[]
}

/** `change`: of the messages and stacks of errors. Null: no runner started. */
export function parseReport(lines: string, change = plain): TestReport | null {
  const tests = new Map<string, ReportedTest>()
  const report: Omit<TestReport, 'tests'> = { planned: 0, errors: [], isWhole: false, htmlReports: [] }
  let hasBegun = false
  let invalidChars = 0
  // Lazily: splitting a text of nothing but line breaks would fill the memory.
  for (const [line] of lines.matchAll(/[^\n]+/g).take(maxLines)) {
    const { data } = line.length > maxLineChars ? {} : Line.safeParse(parseJson(line))
    if (!data) {
      invalidChars += lineChars + line.length
      if (invalidChars > maxInvalidChars) break
      continue
    }
    hasBegun = true
    if (data.kind === 'begin') {
      report.planned += data.tests
      report.isWhole = false
      if (data.html !== null) report.htmlReports.push(data.html)
    } else if (data.kind === 'error') report.errors.push(changeError(data, change))
    else if (data.kind === 'end') {
      report.isWhole = data.status !== 'interrupted'
      for (const [id, outcome] of Object.entries(data.outcomes)) {
        const test = tests.get(id)
        if (test && outcome) test.outcome = outcome
      }
    } else {
      const { id, title, suitePath, projectName, file, line } = data
      const attempt = { ...data, errors: data.errors.map((error) => changeError(error, change)) }
      const attempts = [...(tests.get(id)?.attempts ?? []), attempt]
      const outcome = outcomeOf(attempts)
      tests.set(id, { id, title, suitePath, projectName, file, line, outcome, attempts })
    }
  }
  return hasBegun ? { ...report, tests: [...tests.values()] } : null
}

function changeError<E extends TestReport['errors'][number]>(error: E, change: typeof plain): E {
  return { ...error, message: change(error.message), stack: change(error.stack) }
}

/** The same as the runner reports at its end; for runners that were interrupted. */
function outcomeOf(attempts: readonly Result[]): TestOutcome {
  const run = attempts.filter(({ status }) => status !== 'skipped' && status !== 'interrupted')
  const last = run.at(-1)
  if (!last) return 'skipped'
  if (last.status !== last.expectedStatus) return 'unexpected'
  return run.every(({ status, expectedStatus }) => status === expectedStatus) ? 'expected' : 'flaky'
}
