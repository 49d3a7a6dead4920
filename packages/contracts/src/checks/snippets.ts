import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { SerialId, Timestamp } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'
import { Uses } from './uses.ts'

export const Snippet = z
  .object({
    id: SerialId,
    name: z.string(),
    script: z.string(),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({
    id: 'Snippet',
    examples: [
      {
        id: 1,
        name: 'sign-in',
        script: "request.headers['x-run'] = 'vedette'",
        created_at: '2026-11-15T08:00:00.000Z',
        updated_at: null,
      },
    ],
  })

// The name becomes a file, ./snippets/<name>.js, beside the script that uses it.
const SnippetName = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9._-]+$/, 'must be letters, digits, dots, underscores and hyphens: it names a file')

/** For updates: an older name that breaks the rule may be sent back unchanged, so the handler checks it. */
export function snippetNameIssues(name: string): FieldIssue[] {
  return (SnippetName.safeParse(name).error?.issues ?? []).map(({ message }) => ({ path: ['name'], message }))
}

export const SnippetInput = z
  .object({
    name: SnippetName,
    script: z.string().max(1_000_000),
  })
  .meta({ id: 'SnippetInput' })

const tag = 'Snippets'
const params = z.object({ id: SerialId })
const example = { name: 'sign-in', script: "request.headers['x-run'] = 'vedette'" }

export const listSnippets = route({
  method: 'GET',
  path: '/v1/snippets',
  tag,
  summary: 'List snippets',
  access: 'READ_ONLY',
  query: PagedQuery,
  status: 200,
  response: z.array(Snippet),
  paged: true,
})

export const getSnippet = route({
  method: 'GET',
  path: '/v1/snippets/{id}',
  tag,
  summary: 'Read a snippet',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: Snippet,
})

export const listSnippetUses = route({
  method: 'GET',
  path: '/v1/snippets/{id}/uses',
  tag,
  summary: 'List the checks and groups that use a snippet',
  description: 'As setup or teardown, or by its file in their scripts.',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: Uses,
})

export const createSnippet = route({
  method: 'POST',
  path: '/v1/snippets',
  tag,
  summary: 'Create a snippet',
  access: 'READ_WRITE',
  body: SnippetInput,
  bodyLimit: 'setting',
  status: 201,
  response: Snippet,
  example,
})

export const updateSnippet = route({
  method: 'PUT',
  path: '/v1/snippets/{id}',
  tag,
  summary: 'Update a snippet',
  access: 'READ_WRITE',
  params,
  body: updateOf(SnippetInput.extend({ name: z.string().min(1).max(200) })),
  documentedBody: updateOf(SnippetInput),
  bodyLimit: 'setting',
  status: 200,
  response: Snippet,
  example: { script: 'console.log(response.statusCode)' },
})

export const deleteSnippet = route({
  method: 'DELETE',
  path: '/v1/snippets/{id}',
  tag,
  summary: 'Delete a snippet',
  access: 'READ_WRITE',
  params,
  status: 204,
})
