// Assertions in, their results out, top to bottom and all of them. Pure: it sees only what a runner observed.
import type { Subject } from '@vedette/contracts'
import { cutText } from '../net/http-body.ts'
import { type Assertion, assertionValues } from './assertion-values.ts'
import { compare } from './comparisons.ts'
import { showValue } from './show-value.ts'

/** As the wire has it: `error` and `actual` only where it failed. */
export type AssertionResult = Assertion & {
  order: number
  error?: string
  actual?: string | number | boolean | null
}

/** spec: actual values are shown up to 10 kB. */
const maxActualBytes = 10_000

export function evaluateAssertions(
  assertions: readonly Assertion[],
  subjects: Readonly<Record<string, Subject>>,
): AssertionResult[] {
  return assertions.map((assertion, order) => ({
    ...assertion,
    order,
    ...failureOf(
      assertion,
      Object.hasOwn(subjects, assertion.source) ? subjects[assertion.source] : undefined,
    ),
  }))
}

function failureOf(
  assertion: Assertion,
  subject: Subject | undefined,
): Pick<AssertionResult, 'error' | 'actual'> | undefined {
  const found = assertionValues(assertion, subject)
  if (!found.ok) return { error: found.error }
  const target = targetOf(assertion)
  // Several values: the comparison must hold for every one.
  for (const [index, value] of found.values.entries()) {
    const why = compare(value, assertion.comparison, target)
    if (why === null) continue
    const place = found.values.length > 1 ? ` (value ${index + 1} of ${found.values.length})` : ''
    const actual = found.values.length > 1 ? found.values : value
    return {
      error: `${why}${place}`,
      ...(actual !== undefined && { actual: shown(actual) }),
    }
  }
  return undefined
}

function shown(actual: unknown): AssertionResult['actual'] {
  const value = showValue(actual, maxActualBytes)
  return typeof value === 'string' ? cutText(value, maxActualBytes) : value
}

/** Names of headers are compared without case; all headers at once are keyed by their lower-case names. */
function targetOf({ source, property, comparison, target }: Assertion): string {
  const isName = comparison === 'HAS_KEY' || comparison === 'NOT_HAS_KEY'
  return source === 'HEADERS' && property === '' && isName ? target.trim().toLowerCase() : target
}
