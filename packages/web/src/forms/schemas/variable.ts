import { VariableInput } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function variableProblems(values: unknown): FieldProblem[] {
  return issuesOf(VariableInput, values)
}
