// What a run must show to pass. The target is always a string on the wire.
import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'

const comparisons = [
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

const numericComparisons = ['EQUALS', 'NOT_EQUALS', 'GREATER_THAN', 'LESS_THAN'] as const

/** What a source gives: a number to compare, a document with a path into it, or text. */
type SourceKind = 'number' | 'json' | 'text' | 'latency'

export const ApiAssertion = assertion('ApiAssertion', comparisons, {
  STATUS_CODE: 'number',
  JSON_BODY: 'json',
  HEADERS: 'text',
  TEXT_BODY: 'text',
  RESPONSE_TIME: 'number',
})

export const UrlAssertion = assertion('UrlAssertion', numericComparisons, { STATUS_CODE: 'number' })

export const TcpAssertion = assertion(
  'TcpAssertion',
  [...numericComparisons, 'IS_EMPTY', 'NOT_EMPTY', 'CONTAINS', 'NOT_CONTAINS'],
  { RESPONSE_DATA: 'text', RESPONSE_TIME: 'number' },
)

export const DnsAssertion = assertion('DnsAssertion', comparisons, {
  RESPONSE_TIME: 'number',
  RESPONSE_CODE: 'text',
  TEXT_ANSWER: 'text',
  JSON_ANSWER: 'json',
})

export const IcmpAssertion = assertion(
  'IcmpAssertion',
  [...numericComparisons, 'IS_EMPTY', 'NOT_EMPTY', 'CONTAINS', 'NOT_CONTAINS', 'IS_NULL', 'NOT_NULL'],
  { LATENCY: 'latency', JSON_RESPONSE: 'json' },
)

const latencyProperties = ['avg', 'min', 'max', 'stdDev']

function assertion<const S extends string, const C extends Comparison>(
  id: string,
  allowed: readonly C[],
  kinds: Record<S, SourceKind>,
) {
  return z
    .object({
      source: z.enum(Object.keys(kinds) as S[]),
      comparison: z.enum(allowed),
      property: z.string().max(5000).default('').describe('JSONPath, regular expression or header name'),
      target: z.string({ error: targetError }).max(10_000).default(''),
      regex: z
        .string()
        .max(5000)
        .nullable()
        .default('')
        .describe('Its first group picks the part to compare'),
    })
    .superRefine((value, context) => {
      for (const issue of assertionIssues(kinds[value.source as S], value.comparison, value.property)) {
        context.addIssue({ code: 'custom', ...issue })
      }
    })
    .meta({ id })
}

/** A common slip: the wire has even numbers as text. */
function targetError({ input }: { input: unknown }): string | undefined {
  return typeof input === 'number' ? `must be a string: send "${input}" instead of ${input}` : undefined
}

function assertionIssues(kind: SourceKind, comparison: string, property: string): FieldIssue[] {
  const issues: FieldIssue[] = []
  const isNumeric = kind === 'number' || kind === 'latency'
  if (isNumeric && !(numericComparisons as readonly string[]).includes(comparison)) {
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
