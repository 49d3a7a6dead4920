import { AlertChannelInput } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function alertChannelProblems(values: unknown): FieldProblem[] {
  return issuesOf(AlertChannelInput, values)
}

/** Values without problems, as a body. */
export function alertChannelBody(values: unknown) {
  return AlertChannelInput.parse(values)
}
