// The verdict of a script run, from the evidence that it left. Pure.
import type { CellEnd } from '../../sandbox/cell.ts'
import type { CodeOutcome } from '../code-runner.ts'
import { failureOf, withOutputTail } from '../playwright-messages.ts'
import type { ReportedTest } from '../test-report.ts'
import { endings } from '../wait-for-end.ts'
import type { RunFiles } from './run-files.ts'

export interface ScriptEvidence extends Pick<RunFiles, 'tests' | 'error' | 'degraded'> {
  mode: 'test' | 'plain'
  end: CellEnd
  lastOutput: string
}

interface TestError {
  message: string
  stack: string
  isSoft: boolean
}

export interface ScriptVerdict extends Pick<CodeOutcome, 'outcome' | 'failure'> {
  errors: { message: string; stack: string }[]
}

export function scriptVerdict(evidence: ScriptEvidence): ScriptVerdict {
  const errors = errorsOf(evidence)
  const hard = errors.filter(({ isSoft }) => !isSoft)
  const failed = hard[0] ?? (evidence.degraded === null ? errors[0] : undefined)
  const shown = errors.map(({ message, stack }) => ({ message, stack }))
  if (failed) return { outcome: 'failed', failure: failureOf(failed.message), errors: shown }
  return { outcome: evidence.degraded === null ? 'passed' : 'degraded', failure: null, errors: shown }
}

function errorsOf({ mode, end, tests, error, lastOutput }: ScriptEvidence): TestError[] {
  const ended = endingOf(end)
  if (ended) return [hardError(ended)]
  if (mode === 'plain') {
    if (error) return [{ ...error, isSoft: false }]
    return end.exitCode === 0
      ? []
      : [hardError(withOutputTail(`The script exited with code ${end.exitCode}`, lastOutput))]
  }
  const runnerExit = withOutputTail(`The test runner exited with code ${end.exitCode}`, lastOutput)
  if (tests === null) return [hardError(runnerExit)]
  const unexpected = tests.tests.filter(({ outcome }) => outcome === 'unexpected')
  const ofTests = unexpected.flatMap((test) => {
    const { errors = [], status } = test.attempts.at(-1) ?? {}
    if (errors.length === 0)
      return [hardError(`${titlePathOf(test).join(' › ')} was expected to fail, but passed.`)]
    // A test that timed out failed for that reason, despite its soft assertions.
    return errors.map((one) => ({ ...one, isSoft: one.isSoft && status === 'failed' }))
  })
  const ofRunner = tests.errors.map((one) => ({ ...one, isSoft: false }))
  const found = [...ofRunner, ...ofTests]
  if (found.length > 0) return found
  if (tests.tests.length === 0) return [hardError('The script has no tests.')]
  return end.exitCode === 0 ? [] : [hardError(runnerExit)]
}

export const titlePathOf = ({ projectName, file, suitePath, title }: ReportedTest) => [
  projectName,
  file,
  ...suitePath,
  title,
]

function endingOf({ reason, signal }: CellEnd): string | null {
  if (endings[reason] !== null) return `The run ${endings[reason]}.`
  return signal === null ? null : `The script was ended by ${signal}.`
}

const hardError = (message: string): TestError => ({ message, stack: '', isSoft: false })
