// What a schema of the contracts finds, as problems of a form. Screens load the schema with their own code.
import type { FieldProblem } from './use-form.ts'

interface Schema {
  safeParse(value: unknown): {
    success: boolean
    error?: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }
  }
}

export function issuesOf(schema: Schema, values: unknown): FieldProblem[] {
  const { error } = schema.safeParse(values)
  return error?.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message })) ?? []
}
