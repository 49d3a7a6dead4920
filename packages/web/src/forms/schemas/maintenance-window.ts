import { MaintenanceWindowInput } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function maintenanceWindowProblems(values: unknown): FieldProblem[] {
  return issuesOf(MaintenanceWindowInput, values)
}

/** Values without problems, as a body. */
export function maintenanceWindowBody(values: unknown) {
  return MaintenanceWindowInput.parse(values)
}
