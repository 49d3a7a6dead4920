// What the last runs of a check say about each of its tests. Pure.
import type { CheckTest, CheckTests, TestOutcome } from '@vedette/contracts'
import { getOrInsert } from '../../core/get-or-insert.ts'
import type { RecordedTest } from './read-tests.ts'

export interface RecordedAttempt {
  resultId: string
  runId: string
  startedAt: string
  isFinal: boolean
  tests: readonly RecordedTest[]
}

interface Observed {
  resultId: string
  startedAt: string
  outcome: TestOutcome
  test: RecordedTest
}

const maxTests = 200
const maxLastRuns = 30
const maxSteps = 50

/** `attempts`: the newest first. */
export function summarizeTests(
  attempts: readonly RecordedAttempt[],
): Omit<CheckTests, 'hasMore' | 'since' | 'runs'> {
  const failedBefore = new Set(
    attempts
      .filter(({ isFinal }) => !isFinal)
      .flatMap(({ runId, tests }) =>
        tests.filter(({ outcome }) => outcome === 'unexpected').map((test) => `${runId} ${keyOf(test)}`),
      ),
  )
  const byTest = new Map<string, Observed[]>()
  for (const { isFinal, resultId, runId, startedAt, tests } of attempts) {
    if (!isFinal) continue
    for (const test of tests) {
      const key = keyOf(test)
      const outcome = outcomeOf(test, failedBefore.has(`${runId} ${key}`))
      if (outcome !== null) getOrInsert(byTest, key, () => []).push({ resultId, startedAt, outcome, test })
    }
  }
  const tests = [...byTest.values()].map(summarize)
  tests.sort(
    (a, b) => b.failed - a.failed || b.flaky - a.flaky || (b.durationP95 ?? 0) - (a.durationP95 ?? 0),
  )
  return { total: tests.length, tests: tests.slice(0, maxTests) }
}

const keyOf = ({ file, title }: RecordedTest) => `${file} ${title}`

function outcomeOf({ outcome }: RecordedTest, hasFailedBefore: boolean): TestOutcome | null {
  if (outcome === 'expected') return hasFailedBefore ? 'flaky' : 'passed'
  if (outcome === 'unexpected') return 'failed'
  return outcome === 'flaky' || outcome === 'skipped' ? outcome : null
}

function summarize(observed: readonly Observed[]): CheckTest {
  const count = (outcome: TestOutcome) => observed.filter((one) => one.outcome === outcome).length
  const [newest] = observed
  const ran = observed.filter(({ outcome }) => outcome !== 'skipped')
  return {
    ...{ title: newest?.test.title ?? '', file: newest?.test.file ?? null, runs: observed.length },
    ...{ passed: count('passed'), failed: count('failed'), flaky: count('flaky'), skipped: count('skipped') },
    ...percentiles(ran.map(({ test }) => test.durationMs)),
    lastRuns: observed
      .slice(0, maxLastRuns)
      .reverse()
      .map(({ resultId, startedAt, outcome, test }) => ({
        ...{ resultId, startedAt, outcome },
        duration: outcome === 'skipped' ? null : test.durationMs,
      })),
    steps: summarizeSteps(ran.map(({ test }) => test)),
  }
}

/** A loop repeats a title: its steps count as one, with their sum. */
function summarizeSteps(tests: readonly RecordedTest[]): CheckTest['steps'] {
  const byTitle = new Map<string, { durations: (number | null)[]; failed: number }>()
  for (const { steps } of tests) {
    const ofRun = new Map<string, { durationMs: number | null; hasFailed: boolean }>()
    for (const { title, durationMs, hasFailed } of steps) {
      const sum = getOrInsert(ofRun, title, () => ({ durationMs: null, hasFailed: false }))
      if (durationMs !== null) sum.durationMs = (sum.durationMs ?? 0) + durationMs
      sum.hasFailed ||= hasFailed
    }
    for (const [title, { durationMs, hasFailed }] of ofRun) {
      const all = getOrInsert(byTitle, title, () => ({ durations: [], failed: 0 }))
      all.durations.push(durationMs)
      if (hasFailed) all.failed += 1
    }
  }
  return [...byTitle].slice(0, maxSteps).map(([title, { durations, failed }]) => ({
    ...{ title, runs: durations.length, failed },
    ...percentiles(durations),
  }))
}

function percentiles(values: readonly (number | null)[]) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
  return { durationP50: at(0.5), durationP95: at(0.95) }
}
