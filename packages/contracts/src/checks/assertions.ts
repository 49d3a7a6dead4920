// Conditions that a run must meet to pass. The target is always a string on the wire.
import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { keysOf } from '../core/objects.ts'
import type { AssertionSource } from './definition.ts'

export const comparisons = [
  'EQUALS',
  'NOT_EQUALS',
  'HAS_KEY',
  'NOT_HAS_KEY',
  'HAS_VALUE',
  'NOT_HAS_VALUE',
  'IS_EMPTY',
  'NOT_EMPTY',
  'GREATER_THAN',
  'LESS_THAN',
  'CONTAINS',
  'NOT_CONTAINS',
  'IS_NULL',
  'NOT_NULL',
] as const

type Comparison = (typeof comparisons)[number]

export const numericComparisons = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'] as const

/** Sources of several types. A name means the same in all types: a test compares them. */
export const statusCodeSource = {
  kind: 'number',
  name: 'the status code',
  absent: 'There was no response, so there is no status code.',
} as const satisfies AssertionSource

export const responseTimeSource = {
  kind: 'number',
  name: 'the response time',
  absent: "The response time wasn't measured.",
  unit: 'ms',
} as const satisfies AssertionSource

export const textBodySource = {
  kind: 'text',
  name: 'the body',
  absent: 'There was no response, so there is no body.',
} as const satisfies AssertionSource

export const latencyProperties = ['avg', 'min', 'max', 'stdDev']

export function assertion<const S extends string, const C extends Comparison>(
  id: string,
  allowed: readonly C[],
  sources: Readonly<Record<S, AssertionSource>>,
) {
  const byName: Readonly<Record<string, AssertionSource>> = sources
  return z
    .object({
      source: z.enum(keysOf(sources)),
      comparison: z.enum(allowed),
      property: z.string().max(5000).default('').describe('JSONPath, regular expression or header name'),
      target: z.string({ error: targetError }).max(10_000).default(''),
      regex: z.string().max(5000).nullable().default('').describe('Its first group is the part to compare'),
    })
    .superRefine((value, context) => {
      const source = byName[String(value.source)]
      if (source === undefined) return
      for (const issue of assertionIssues(source.kind, value.comparison, value.property)) {
        context.addIssue({ code: 'custom', ...issue })
      }
    })
    .meta({ id })
}

/** A common mistake: the wire has even numbers as text. */
function targetError({ input }: { input: unknown }): string | undefined {
  return typeof input === 'number' ? `must be a string: send "${input}" instead of ${input}` : undefined
}

function assertionIssues(kind: AssertionSource['kind'], comparison: string, property: string): FieldIssue[] {
  const issues: FieldIssue[] = []
  const isNumeric = kind === 'number' || kind === 'latency'
  if (isNumeric && !numericComparisons.some((allowed) => allowed === comparison)) {
    issues.push({
      path: ['comparison'],
      message: `must be one of ${numericComparisons.join(', ')} for a number`,
    })
  }
  // An empty path means the whole document.
  if (kind === 'json' && property !== '' && !property.startsWith('$')) {
    issues.push({ path: ['property'], message: 'must be a JSONPath that begins with $' })
  }
  if (kind === 'latency' && property !== '' && !latencyProperties.includes(property)) {
    issues.push({ path: ['property'], message: `must be one of ${latencyProperties.join(', ')}` })
  }
  return issues
}
