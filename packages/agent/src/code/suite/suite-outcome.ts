// The outcome of a suite after its cell has ended, from its report, its degraded mark and its files.

import { posix } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import { isTimedOut } from '../../net/failure.ts'
import type { Cell } from '../../sandbox/cell.ts'
import { cutEnd } from '../../scrub/cut-secrets.ts'
import type { CodeOutcome } from '../code-runner.ts'
import { readInside } from '../inside-folder.ts'
import type { OutputLog } from '../output-log.ts'
import { plain } from '../playwright-messages.ts'
import { nameFailures } from '../script/name-failures.ts'
import { parseReport, type ReportedTest, type TestReport, testOutcomes } from '../test-report.ts'
import { machineFolders } from './cell-paths.ts'
import { collectOutput } from './collect-output.ts'
import type { CommandEnd } from './open-suite-cell.ts'
import type { SuiteRun } from './suite-deps.ts'
import { SuiteError } from './suite-error.ts'
import { maxTailChars, suiteVerdict } from './suite-verdict.ts'

type Outcome = Omit<CodeOutcome, 'release'>

const maxReportBytes = 16 * 1024 * 1024
const maxTestsShown = 1_000

/** `startTime`: when the command started, in milliseconds since 1970. */
export async function suiteOutcome(
  { settings, deps, log, facts, context }: SuiteRun,
  cell: Cell,
  end: CommandEnd,
  startTime: number,
): Promise<Outcome> {
  const endTime = context.clock.now()
  const folders = machineFolders(cell)
  const lines = await readInside(folders.report, 'results.jsonl', '/', maxReportBytes)
  const failures = cell.connectionFailures()
  const report = parseReport(lines ?? '', (text) => nameFailures(plain(text), failures))
  const degraded = await readDegraded(folders.suite, settings.workingDir)
  const lastOutput = log.tail(maxTailChars)
  const limitMs = deps.limits.runMs
  const verdict = suiteVerdict({ command: settings.testCommand, end, limitMs, report, degraded, lastOutput })
  const { files, traces, left } = await collectOutput(cell, report)
  for (const line of left) log.note(line, 'WARN')
  if (report === null && end.exitCode === 0) log.note('No Playwright test runner reported anything.', 'WARN')
  return {
    outcome: verdict.outcome,
    failure: verdict.failure,
    responseTimeMs: end.durationMs,
    detail: {
      errors: verdict.errors,
      ...(report && describeTests(report)),
      playwrightTraceFiles: traces,
      ...(degraded && { degradedMessages: degraded }),
      startTime: Math.round(startTime),
      endTime: Math.round(endTime),
      ...facts,
    },
    log: log.lines(),
    files,
  }
}

/** The suite failed before its tests, or was canceled. */
export function brokenOutcome(
  error: unknown,
  signal: AbortSignal,
  log: OutputLog,
  facts: Readonly<Record<string, unknown>>,
): Outcome {
  if (!(error instanceof SuiteError) && !signal.aborted) throw error
  const kind = isTimedOut(signal) ? 'timeout' : error instanceof SuiteError ? error.kind : 'script'
  const message = signal.aborted ? abortMessage(signal) : errorMessage(error)
  log.note(message, 'ERROR')
  return {
    outcome: 'error',
    failure: { kind, message, phase: 'setup' },
    responseTimeMs: null,
    detail: { errors: [], playwrightTraceFiles: [], ...facts },
    log: log.lines(),
    files: [],
  }
}

const abortMessage = (signal: AbortSignal) =>
  isTimedOut(signal) ? "The suite's time was up before it finished." : 'The run was canceled.'

function describeTests({ tests, planned }: TestReport): Record<string, unknown> {
  const counts = testOutcomes.map((outcome) => [
    outcome,
    tests.filter((test) => test.outcome === outcome).length,
  ])
  return {
    tests: tests.slice(0, maxTestsShown).map(describeTest),
    testCounts: { planned, run: tests.length, ...Object.fromEntries(counts) },
  }
}

function describeTest({ id, title, suitePath, projectName, file, line, outcome, attempts }: ReportedTest) {
  return {
    specId: id,
    testTitle: cutEnd(title, 500),
    suitePath: suitePath.slice(0, 10).map((one) => cutEnd(one, 200)),
    projectName: cutEnd(projectName, 200),
    testFile: cutEnd(file, 500),
    line,
    outcome,
    duration: attempts.reduce((sum, { duration }) => sum + duration, 0),
    retries: Math.max(0, attempts.length - 1),
    attempts: attempts
      .slice(0, 10)
      .map(({ status, duration, startTime }) => ({ status, duration, startTime })),
    // Of the last attempt, which counts.
    steps: attempts.at(-1)?.steps.map((step) => ({ ...step, title: cutEnd(step.title, 500) })) ?? [],
  }
}

const Degraded = z.object({ messages: z.array(z.string()).max(10_000).catch([]) })

/** The helper writes the file into the working directory; null: it wasn't called. */
async function readDegraded(suite: string, workingDir: string): Promise<string[] | null> {
  const text = await readInside(suite, posix.join(workingDir, 'degraded.json'), '/', 1_000_000)
  if (text === null) return null
  const messages = Degraded.safeParse(parseJson(text)).data?.messages ?? []
  return messages.slice(0, 50).map((message) => cutEnd(message, 200))
}
