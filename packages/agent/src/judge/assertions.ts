// Assertions in, their results out, top to bottom and all of them. Pure: it sees only what a runner observed.
import { cutText } from '../net/http-body.ts'
import {
  type Assertion,
  assertionValues,
  findSource,
  missingText,
  type Subjects,
  subjectName,
} from './assertion-values.ts'
import { compare, type Mismatch, quote } from './comparisons.ts'
import { showValue } from './show-value.ts'

/** As the wire has it: `error` and `actual` only where it failed. */
export type AssertionResult = Assertion & {
  order: number
  error?: string
  actual?: string | number | boolean | null
}

/** spec: actual values are shown up to 10 kB. */
const maxActualBytes = 10_000

export function evaluateAssertions(assertions: readonly Assertion[], subjects: Subjects): AssertionResult[] {
  return assertions.map((assertion, order) => ({
    ...assertion,
    order,
    ...failureOf(assertion, subjects),
  }))
}

function failureOf(
  assertion: Assertion,
  subjects: Subjects,
): Pick<AssertionResult, 'error' | 'actual'> | undefined {
  const found = assertionValues(assertion, subjects)
  if (!found.ok) return { error: found.error }
  const target = targetOf(assertion)
  // Several values: the comparison must hold for every one.
  for (const [index, value] of found.values.entries()) {
    const mismatch = compare(value, assertion.comparison, target)
    if (mismatch === null) continue
    const which = found.values.length > 1 ? `value ${index + 1} of ${found.values.length}` : 'it'
    const actual = found.values.length > 1 ? found.values : value
    return {
      error: sentence(assertion, mismatch, value, which),
      ...(actual !== undefined && { actual: shown(actual) }),
    }
  }
  return undefined
}

/** `Expected the status code to equal 200, but it was 503.` */
function sentence(
  assertion: Assertion,
  { expectation, reason }: Mismatch,
  value: unknown,
  which: string,
): string {
  const unit = unitOf(assertion)
  const expected = `Expected ${subjectName(assertion)} ${expectation}${unit}`
  if (value === undefined) return `${expected}, but ${missingText(assertion)}.`
  const why = reason === null ? '' : `: ${reason}`
  return `${expected}, but ${which} was ${quote(value)}${unit}${why}.`
}

const unitOf = ({ source, comparison }: Assertion) => {
  const unit = findSource(source)?.unit
  return unit === undefined || /NULL|EMPTY/.test(comparison) ? '' : ` ${unit}`
}

function shown(actual: unknown): AssertionResult['actual'] {
  const value = showValue(actual, maxActualBytes)
  return typeof value === 'string' ? cutText(value, maxActualBytes) : value
}

/** Names of headers are compared without case; all headers at once are keyed by their lower-case names. */
function targetOf({ source, property, comparison, target }: Assertion): string {
  const isName = comparison === 'HAS_KEY' || comparison === 'NOT_HAS_KEY'
  return findSource(source)?.kind === 'headers' && property === '' && isName
    ? target.trim().toLowerCase()
    : target
}
