// What a run of a script came to, from what it left. Pure.
import type { Failure } from '@vedette/contracts'
import type { CellEnd } from '../../sandbox/cell.ts'
import { behind, failureOf, plain } from '../runner-words.ts'

interface TestError {
  message: string
  stack: string
  isSoft: boolean
}

interface TestShown {
  title: string
  titlePath: string[]
  file: string
  project: string
  outcome: string
  status: string
  retry: number
  duration: number
  errors: TestError[]
}

export interface ScriptEvidence {
  mode: 'test' | 'plain'
  end: CellEnd
  /** Of the runner; null: it did not get to its end. */
  tests: { status: string; tests: TestShown[]; errors: { message: string; stack: string }[] } | null
  /** What a plain script threw. */
  error: { message: string; stack: string } | null
  /** Messages of the degraded mark; null: it was not marked. */
  degraded: string[] | null
  lastOutput: string
}

export interface ScriptVerdict {
  outcome: 'passed' | 'degraded' | 'failed' | 'error'
  failure: Failure | null
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
    if (error) return [{ ...error, message: plain(error.message), isSoft: false }]
    return end.exitCode === 0
      ? []
      : [hardError(`The script exited with code ${end.exitCode}${behind(lastOutput)}`)]
  }
  if (tests === null)
    return [hardError(`The test runner exited with code ${end.exitCode}${behind(lastOutput)}`)]
  const unexpected = tests.tests.filter(({ outcome }) => outcome === 'unexpected')
  const ofTests = unexpected.flatMap((test) => {
    if (test.errors.length > 0)
      return test.errors.map((one) => ({ ...one, message: plain(one.message), isSoft: isSoft(one, test) }))
    return [hardError(`${test.titlePath.join(' › ')} was expected to fail, but passed.`)]
  })
  const ofRunner = tests.errors.map((one) => ({ ...one, message: plain(one.message), isSoft: false }))
  const found = [...ofRunner, ...ofTests]
  if (found.length > 0) return found
  if (tests.tests.length === 0) return [hardError('The script has no tests.')]
  return end.exitCode === 0
    ? []
    : [hardError(`The test runner exited with code ${end.exitCode}${behind(lastOutput)}`)]
}

/** A test that ran out of time failed for that reason, whatever it had asserted softly. */
const isSoft = (error: TestError, { status }: TestShown) => error.isSoft && status === 'failed'

function endingOf({ reason, signal }: CellEnd): string | null {
  if (reason === 'memory') return 'The run used more memory than allowed.'
  if (reason === 'disk') return 'The run wrote more to its disk than allowed.'
  if (reason === 'cell' || reason === 'killed') return 'The run was ended before it finished.'
  return signal === null ? null : `The script was ended by ${signal}.`
}

const hardError = (message: string): TestError => ({ message, stack: '', isSoft: false })
