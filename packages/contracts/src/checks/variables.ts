import { z } from 'zod'
import { ignoredField, VariableKey } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import { Uses } from './uses.ts'

export const Variable = z
  .object({
    key: z.string(),
    value: z
      .string()
      .nullable()
      .describe('null if the variable is secret, or locked and the key may only read or run'),
    locked: z.boolean(),
    secret: z.boolean(),
  })
  .meta({
    id: 'Variable',
    examples: [{ key: 'BASE_URL', value: 'https://example.com', locked: false, secret: false }],
  })

/** The response to a change contains the value that was sent, also of a secret. */
export const CreatedVariable = Variable.extend({ value: z.string() }).meta({ id: 'CreatedVariable' })

export const ChangedVariable = Variable.extend({
  value: z.string().nullable().describe('null if a secret variable was changed without sending a value'),
}).meta({ id: 'ChangedVariable' })

export const VariableInput = z
  .object({
    key: VariableKey,
    value: z.string().max(100_000),
    locked: z.boolean().default(false).describe('Only keys that may write see the value'),
    secret: z.boolean().default(false).describe('The value is never shown again. Cannot be undone'),
  })
  .meta({ id: 'VariableInput' })

export const VariableUpdate = updateOf(
  VariableInput.extend({
    key: ignoredField({ type: 'string', description: 'Ignored: the path names the variable' }),
  }),
).meta({ id: 'VariableUpdate' })

const tag = 'Environment variables'
const params = z.object({ key: z.string().min(1).max(1000) })

export const listVariables = route({
  method: 'GET',
  path: '/v1/variables',
  tag,
  summary: 'List environment variables, ordered by key',
  description:
    'The command-line client of the public service (`x-checkly-source: CLI`) knows no pages: without `limit` and `page` it ' +
    'gets all variables.',
  access: 'READ_ONLY',
  query: PagedQuery,
  status: 200,
  response: z.array(Variable),
  paged: true,
})

export const getVariable = route({
  method: 'GET',
  path: '/v1/variables/{key}',
  tag,
  summary: 'Read an environment variable',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: Variable,
})

export const listVariableUses = route({
  method: 'GET',
  path: '/v1/variables/{key}/uses',
  tag,
  summary: 'List the checks and groups whose settings or scripts name an environment variable',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: Uses,
})

export const createVariable = route({
  method: 'POST',
  path: '/v1/variables',
  tag,
  summary: 'Create an environment variable',
  access: 'READ_WRITE',
  body: VariableInput,
  status: 201,
  response: CreatedVariable,
  errors: [409],
  example: { key: 'BASE_URL', value: 'https://example.com' },
})

export const updateVariable = route({
  method: 'PUT',
  path: '/v1/variables/{key}',
  tag,
  summary: 'Update an environment variable',
  access: 'READ_WRITE',
  params,
  body: VariableUpdate,
  status: 200,
  response: ChangedVariable,
  example: { value: 'https://staging.example.com' },
})

export const deleteVariable = route({
  method: 'DELETE',
  path: '/v1/variables/{key}',
  tag,
  summary: 'Delete an environment variable',
  access: 'READ_WRITE',
  params,
  status: 204,
})
