import { ClientCertificateInput } from '@vedette/contracts'
import { issuesOf } from '../issues-of.ts'
import type { FieldProblem } from '../use-form.ts'

export function clientCertificateProblems(values: unknown): FieldProblem[] {
  return issuesOf(ClientCertificateInput, values)
}
