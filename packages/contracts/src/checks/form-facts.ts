// What a form for a check type offers, read from its definition.
import { z } from 'zod'
import { numericComparisons } from './assertions.ts'
import type { AssertionSource, CheckDefinition } from './definition.ts'

export interface AssertionOption extends AssertionSource {
  source: string
  comparisons: readonly string[]
  /** The parts that an assertion can name; absent: any. */
  properties?: readonly string[]
}

/** The sources of assertions with their comparisons; none if the type has no assertions. */
export function assertionOptionsOf({
  read,
  sources,
  sourceProperties = {},
}: CheckDefinition): AssertionOption[] {
  const request = unwrap(read.shape.request)
  const list = request instanceof z.ZodObject ? unwrap(request.shape.assertions) : undefined
  const item = list instanceof z.ZodArray ? list.element : undefined
  const comparison = item instanceof z.ZodObject ? item.shape.comparison : undefined
  const allowed = comparison instanceof z.ZodEnum ? comparison.options.map(String) : []
  if (allowed.length === 0) return []
  return Object.entries(sources).map(([source, facts]) => {
    const properties = sourceProperties[source]
    const isNumeric = facts.kind === 'number' || facts.kind === 'latency'
    return {
      ...facts,
      source,
      comparisons: isNumeric ? numericComparisons : allowed,
      ...(properties === undefined ? {} : { properties }),
    }
  })
}

/** Minutes between runs; 0: seconds, by the offset. None: the type has no schedule. */
export function frequenciesOf({ input }: CheckDefinition): number[] {
  const field = unwrap(input.shape.frequency)
  return field instanceof z.ZodLiteral ? [...field.values].map(Number) : []
}

function unwrap(field: unknown): unknown {
  return field instanceof z.ZodDefault || field instanceof z.ZodNullable || field instanceof z.ZodOptional
    ? unwrap(field.unwrap())
    : field
}
