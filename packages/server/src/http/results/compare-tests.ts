// What differs between two runs of code: the first test, step or assertion that no longer passes. Pure.
import type { ResultDifference } from '@vedette/contracts'
import type { ComparedResult } from './compared-result.ts'
import { readTests } from './read-tests.ts'
import { valuesOf } from './result-detail.ts'

interface NamedOutcome {
  name: string
  outcome: string
}

export function compareTests(before: ComparedResult, after: ComparedResult): ResultDifference[] {
  const [old, now] = [outcomesOf(before), outcomesOf(after)]
  const earlier = new Map(old.map(({ name, outcome }) => [name, outcome]))
  const first = now.find(({ name, outcome }) => !hasPassed(outcome) && earlier.get(name) !== outcome)
  const message = firstErrorOf(after)
  if (first !== undefined) {
    const was = earlier.get(first.name) ?? null
    const title =
      was === null
        ? `"${first.name}" is new, and: ${first.outcome}`
        : `"${first.name}" was ${was}, now ${first.outcome}`
    return [{ kind: 'test', title, before: was, after: message ?? first.outcome, diff: null }]
  }
  const missing = old.find(({ name }) => !now.some((one) => one.name === name))
  if (missing !== undefined) {
    const title = `"${missing.name}" didn't run`
    return [{ kind: 'test', title, before: missing.outcome, after: message, diff: null }]
  }
  if (message === null || message === firstErrorOf(before)) return []
  return [{ kind: 'test', title: 'The run ended with an error', before: null, after: message, diff: null }]
}

const hasPassed = (outcome: string) => outcome === 'expected' || outcome === 'passed' || outcome === 'skipped'

const maxOutcomes = 2_000

/** Tests of scripts and suites, assertions of agentic checks; in their order. */
function outcomesOf({ detail }: ComparedResult): NamedOutcome[] {
  const { assertions } = detail?.observed ?? {}
  const conditions = Array.isArray(assertions) ? assertions.slice(0, maxOutcomes) : []
  return [
    ...readTests(detail).map(({ title, outcome }) => ({ name: title, outcome })),
    ...conditions.flatMap((one): NamedOutcome[] => {
      const { condition, passed } = valuesOf(one) ?? {}
      return typeof condition === 'string'
        ? [{ name: condition, outcome: passed === true ? 'passed' : 'failed' }]
        : []
    }),
  ]
}

const maxChars = 2_000

function firstErrorOf({ detail, failureMessage }: ComparedResult): string | null {
  const message = detail?.failure?.message ?? failureMessage
  return message === null || message === undefined || message === '' ? null : message.slice(0, maxChars)
}
