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
    // A create refuses null, so the document doesn't offer it.
    .meta({
      nullable: false,
      description: 'On an update, null or nothing keeps the stored value of a secret one',
    }),
})
  // The document asks for it, as the wire does: it may be left out only of a secret that is kept.
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

/** A value may be left out only where there is a stored one to keep; the caller has filled those in. */
export function variableIssues(variables: unknown): FieldIssue[] {
  if (!Array.isArray(variables)) return []
  return variables.flatMap((variable: { value?: unknown } | null, index) =>
    typeof variable === 'object' && variable !== null && (variable.value ?? null) === null
      ? [{ path: ['environmentVariables', index, 'value'], message: 'is required' }]
      : [],
  )
}
