// The verdict of a suite run, from its evidence. Pure.
import type { Failure } from '@vedette/contracts'
import { cutEnd } from '../../scrub/cut-secrets.ts'
import type { CodeOutcome } from '../code-runner.ts'
import { failureOf, withOutputTail } from '../playwright-messages.ts'
import type { ReportedTest, TestReport } from '../test-report.ts'
import { endings } from '../wait-for-end.ts'
import type { CommandEnd } from './open-suite-cell.ts'

type TestError = ReturnType<typeof errorOf>

interface SuiteVerdict extends Pick<CodeOutcome, 'outcome' | 'failure'> {
  errors: TestError[]
}

/** Of the last output, in messages. */
export const maxTailChars = 1_500
const maxErrors = 50
const maxMessage = 4_000
const maxStack = 8_000

export function suiteVerdict(evidence: {
  command: string
  end: CommandEnd
  limitMs: number
  report: TestReport | null
  /** Messages of the degraded mark; null: it was not marked. */
  degraded: string[] | null
  lastOutput: string
}): SuiteVerdict {
  const { command, end, limitMs, report, degraded, lastOutput } = evidence
  const unexpected = report?.tests.filter(({ outcome }) => outcome === 'unexpected') ?? []
  const outside = (report?.errors ?? []).map((error) => errorOf(error, null))
  const errors = [...outside, ...unexpected.flatMap(errorsOf)].slice(0, maxErrors)
  const failed = (failure: Failure): SuiteVerdict => ({ outcome: 'failed', failure, errors })
  const failedBy = (kind: Failure['kind'], message: string) =>
    failed({ kind, phase: 'wait', message: withOutputTail(message, lastOutput) })
  if (end.isTimedOut)
    return failedBy('timeout', `${command} didn't finish within its limit of ${limitMs / 60_000} minutes`)
  const ending = endings[end.reason]
  if (ending) return failedBy('script', `The suite ${ending}`)
  if (end.signal !== null) return failedBy('script', `${command} was ended by ${end.signal}`)
  const hard = unexpected.filter((test) => !isSoft(test))
  if (outside.length > 0 || hard.length > 0 || (unexpected.length > 0 && degraded === null))
    return failed(failureOfTests(errors, unexpected.length, report?.tests.length ?? 0))
  // Those that are left are excused by the degraded mark.
  if (end.exitCode !== 0 && unexpected.length === 0) {
    const when = report === null ? ' before any test ran' : ''
    return failedBy('script', `${command} exited with code ${end.exitCode}${when}`)
  }
  return { outcome: degraded === null ? 'passed' : 'degraded', failure: null, errors }
}

/** Only the last attempt counts, as in the runner itself. */
function isSoft({ attempts }: ReportedTest): boolean {
  const { status, errors = [] } = attempts.at(-1) ?? {}
  return status === 'failed' && errors.length > 0 && errors.every((error) => error.isSoft)
}

function errorsOf(test: ReportedTest): TestError[] {
  const errors = test.attempts.at(-1)?.errors ?? []
  if (errors.length > 0) return errors.map((error) => errorOf(error, test))
  const status = test.attempts.at(-1)?.status
  const message =
    status === 'passed' ? 'The test was expected to fail, but passed.' : `The test ended as ${status}.`
  return [errorOf({ message, stack: '' }, test)]
}

function errorOf({ message, stack }: TestReport['errors'][number], test: ReportedTest | null) {
  return {
    error: { message: cutEnd(message, maxMessage), stack: cutEnd(stack, maxStack) },
    specId: test?.id ?? '',
    testFile: test?.file ?? '',
    suitePath: test?.suitePath ?? [],
    testTitle: test?.title ?? '',
    projectName: test?.projectName ?? '',
  }
}

function failureOfTests(errors: readonly TestError[], failed: number, all: number): Failure {
  const first = errors[0]
  const message = first?.error.message ?? ''
  const where =
    first && first.testTitle !== '' ? `${[...first.suitePath, first.testTitle].join(' › ')}: ` : ''
  const count = failed > 1 ? `${failed} of ${all} tests failed. ` : ''
  return { ...failureOf(message), message: `${count}${where}${message}` }
}
