// Evaluates all assertions of a check on what a runner observed.
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

/** `error` and `actual` exist only if it failed. */
export type AssertionResult = Assertion & {
  order: number
  error?: string
  actual?: string | number | boolean | null
}

/** The spec limits actual values to 10 kB. */
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
  const picked = assertionValues(assertion, subjects)
  if (!picked.ok) return { error: picked.error }
  const target = targetOf(assertion)
  // Several values: the comparison must hold for every one.
  for (const [index, value] of picked.values.entries()) {
    const mismatch = compare(value, assertion.comparison, target)
    if (mismatch === null) continue
    const which = picked.values.length > 1 ? `value ${index + 1} of ${picked.values.length}` : 'it'
    const actual = picked.values.length > 1 ? picked.values : value
    return {
      error: sentence(assertion, mismatch, value, which),
      ...(actual !== undefined && { actual: toActual(actual) }),
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

function toActual(actual: unknown): AssertionResult['actual'] {
  const value = showValue(actual, maxActualBytes)
  return typeof value === 'string' ? cutText(value, maxActualBytes) : value
}

/** Header names are compared in lower case. */
function targetOf({ source, property, comparison, target }: Assertion): string {
  const isName = comparison === 'HAS_KEY' || comparison === 'NOT_HAS_KEY'
  return findSource(source)?.kind === 'headers' && property === '' && isName
    ? target.trim().toLowerCase()
    : target
}
