import { SnippetInput } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function snippetProblems(values: unknown): FieldProblem[] {
  return issuesOf(SnippetInput, values)
}
