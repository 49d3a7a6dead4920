// The variables of one check.
import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { EnvironmentVariable, EnvironmentVariableRead } from '../core/fields.ts'

const CheckVariable = EnvironmentVariable.extend({
  value: z
    .string()
    .max(100_000)
    .nullable()
    .optional()
    // Creating a check refuses null, so the document excludes it.
    .meta({
      nullable: false,
      description: 'On an update, null or an absent value keeps the stored value of a secret',
    }),
})
  // Required in the document, as in the spec: only a secret that is kept can omit it.
  .meta({ id: 'CheckVariable', required: ['key', 'value'] })

export const CheckVariables = z
  .array(CheckVariable)
  .max(100)
  .superRefine((variables, context) => {
    const seen = new Set<string>()
    for (const [index, { key }] of variables.entries()) {
      if (seen.has(key)) context.addIssue({ code: 'custom', path: [index, 'key'], message: 'must be unique' })
      seen.add(key)
    }
  })

export const CheckVariablesRead = z.array(EnvironmentVariableRead)

/** A value can be omitted only if a stored one is kept; the caller has already filled those in. */
export function variableIssues(variables: unknown): FieldIssue[] {
  if (!Array.isArray(variables)) return []
  return variables.flatMap((variable: { value?: unknown } | null, index) =>
    typeof variable === 'object' && variable !== null && (variable.value ?? null) === null
      ? [{ path: ['environmentVariables', index, 'value'], message: 'is required' }]
      : [],
  )
}
