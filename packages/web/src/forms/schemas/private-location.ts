import { PrivateLocationInput, PrivateLocationUpdate } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function newLocationProblems(values: object): FieldProblem[] {
  return issuesOf(PrivateLocationInput, values)
}

export function locationProblems(values: object): FieldProblem[] {
  return issuesOf(PrivateLocationUpdate, values)
}
