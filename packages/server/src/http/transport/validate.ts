import { fieldIssuesOf, invalidInput } from '@vedette/contracts'
import type { z } from 'zod'

/** Throws all issues at once; each names its field. */
export function parseOrThrow<S extends z.ZodType>(
  schema: S,
  value: unknown,
  prefix: (string | number)[] = [],
): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  throw invalidInput(fieldIssuesOf(parsed.error.issues, prefix))
}
