// What a schema of the contracts finds, as problems of a form, in the words of the server. Screens load the schema with their own
// code.
import { fieldIssuesOf } from '@vedette/contracts'
import type { FieldProblem } from './use-form.ts'
import { valueAt } from './values.ts'

type Issues = Parameters<typeof fieldIssuesOf>[0]

interface Schema {
  safeParse(value: unknown, options?: { reportInput: boolean }): { error?: { issues: Issues } | undefined }
}

export function issuesOf(schema: Schema, values: unknown): FieldProblem[] {
  const { error } = schema.safeParse(values, { reportInput: true })
  const problems = fieldIssuesOf(error?.issues ?? []).map(({ path, message }) => {
    const name = path.join('.')
    const value = valueAt(values, name)
    // An empty field is a missing value, whatever the schema calls it.
    const isMissing =
      (value === '' || value === null) && /^must (have at least|be (an? |one of))/.test(message)
    return { path: name, message: isMissing ? 'is required' : message }
  })
  // Several rules may say the same about a field.
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.message}`, problem])).values()]
}
