import { UserUpdate } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function userProblems(values: unknown): FieldProblem[] {
  return issuesOf(UserUpdate, values)
}
