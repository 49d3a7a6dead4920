// What our reporter wrote in the cell, as data: its lines are a stranger's, so nothing in them is believed unseen.
import { z } from 'zod'
import { firstLines } from '../first-lines.ts'
import { plain } from '../runner-words.ts'

const text = z.string().max(20_000)

/** Whoever writes more than any suite has tests, or nonsense, is not listened to: it would take the agent's time. */
const maxLines = 20_000
const maxLineChars = 1_200_000
const maxNonsenseChars = 200_000
/** What a line costs at least. */
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
  errors: z.array(z.object({ message: text, stack: text, snippet: text })).max(20),
  isSoft: z.boolean(),
  attachments: z.array(z.object({ name: text, contentType: text, path: text })).max(50),
})

const Line = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('begin'), version: text, tests: z.number(), html: text.nullable() }),
  Result,
  z.object({ kind: z.literal('error'), message: text, stack: text }),
  z.object({ kind: z.literal('end'), status: text, outcomes: z.unknown() }),
])

type Result = z.output<typeof Result>

export type TestOutcome = 'expected' | 'unexpected' | 'flaky' | 'skipped'

export interface SuiteTest {
  id: string
  title: string
  suitePath: string[]
  projectName: string
  file: string
  line: number
  outcome: TestOutcome
  /** The last is what counts. */
  attempts: Result[]
}

export interface SuiteReport {
  version: string
  /** How many there were to run, over all runners of the command. */
  planned: number
  tests: SuiteTest[]
  /** Outside of any test: a configuration that does not load, a server that does not start. */
  errors: { message: string; stack: string }[]
  /** False: the runner was cut off. */
  isWhole: boolean
  htmlReports: string[]
}

/** Null: no runner began. */
export function parseReport(lines: string): SuiteReport | null {
  const report: SuiteReport = {
    version: '',
    planned: 0,
    tests: [],
    errors: [],
    isWhole: false,
    htmlReports: [],
  }
  const byId = new Map<string, SuiteTest>()
  let hasBegun = false
  let nonsense = 0
  for (const line of firstLines(lines, maxLines)) {
    const { data } = line.length > maxLineChars ? {} : Line.safeParse(fromJson(line))
    if (!data) {
      nonsense += lineChars + line.length
      if (nonsense > maxNonsenseChars) break
      continue
    }
    hasBegun = true
    if (data.kind === 'begin') {
      report.version = data.version
      report.planned += data.tests
      report.isWhole = false
      if (data.html !== null) report.htmlReports.push(data.html)
    } else if (data.kind === 'error')
      report.errors.push({ message: plain(data.message), stack: plain(data.stack) })
    else if (data.kind === 'end') {
      report.isWhole = data.status !== 'interrupted'
      for (const [id, outcome] of Object.entries(data.outcomes ?? {})) {
        const test = byId.get(id)
        if (test && isOutcome(outcome)) test.outcome = outcome
      }
    } else add(data)
  }
  return hasBegun ? report : null

  function add(result: Result): void {
    const { id, title, suitePath, projectName, file, line } = result
    let test = byId.get(id)
    if (!test) {
      test = { id, title, suitePath, projectName, file, line, outcome: 'skipped', attempts: [] }
      byId.set(id, test)
      report.tests.push(test)
    }
    test.attempts.push(result)
    test.outcome = outcomeOf(test.attempts)
  }
}

/** As the runner says it at its end; needed where it got to none. */
function outcomeOf(attempts: readonly Result[]): TestOutcome {
  const run = attempts.filter(({ status }) => status !== 'skipped' && status !== 'interrupted')
  const last = run.at(-1)
  if (!last) return 'skipped'
  if (last.status !== last.expectedStatus) return 'unexpected'
  return run.every(({ status, expectedStatus }) => status === expectedStatus) ? 'expected' : 'flaky'
}

const outcomes: ReadonlySet<unknown> = new Set(['expected', 'unexpected', 'flaky', 'skipped'])
const isOutcome = (word: unknown): word is TestOutcome => outcomes.has(word)

function fromJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
