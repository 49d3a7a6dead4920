import { DeploymentInput } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function deploymentProblems(values: unknown): FieldProblem[] {
  return issuesOf(DeploymentInput, values)
}
