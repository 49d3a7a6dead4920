import { AccountUpdate } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function accountProblems(values: unknown): FieldProblem[] {
  return issuesOf(AccountUpdate, values)
}

/** Values without problems, as a body. */
export function accountBody(values: unknown) {
  return AccountUpdate.parse(values)
}
