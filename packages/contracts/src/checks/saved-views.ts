// Views of the list of checks that people keep under a name.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { updateOf } from '../core/update.ts'

const name = z.string().trim().min(1).max(100)
const query = z
  .string()
  .max(4000)
  .regex(/^[^?#\s]*$/, 'must be a query string without ? and #')
  .describe('Filters, columns and order, as the query string of /checks in the app: `state=failing&sort=p95`')
const isShared = z
  .boolean()
  .describe('Whether all members of the account see it, which requires READ_WRITE; otherwise only its owner')

const SavedView = z
  .object({
    id: Uuid,
    name,
    query,
    isShared,
    isOwn: z.boolean().describe('Whether it belongs to the caller'),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({
    id: 'SavedView',
    examples: [
      {
        id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
        name: 'Checkout, failing',
        query: 'state=failing&tag=checkout&sort=p95&order=desc',
        isShared: true,
        isOwn: true,
        created_at: '2026-11-16T08:00:00.000Z',
        updated_at: null,
      },
    ],
  })

export type SavedView = z.output<typeof SavedView>

const SavedViewInput = z
  .object({ name, query, isShared: isShared.default(false) })
  .meta({ id: 'SavedViewInput' })

const tag = 'Saved views'
const params = z.object({ id: Uuid })
const example = { name: 'Checkout, failing', query: 'state=failing&tag=checkout' }

export const listSavedViews = route({
  method: 'GET',
  path: '/v1/saved-views',
  tag,
  summary: 'List saved views: your own and shared ones',
  access: 'READ_ONLY',
  query: PagedQuery,
  status: 200,
  response: z.array(SavedView),
  paged: true,
})

export const getSavedView = route({
  method: 'GET',
  path: '/v1/saved-views/{id}',
  tag,
  summary: 'Read a saved view',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: SavedView,
})

export const createSavedView = route({
  method: 'POST',
  path: '/v1/saved-views',
  tag,
  summary: 'Save a view',
  description: 'A service key has no views of its own: it must send isShared: true.',
  access: 'READ_ONLY',
  body: SavedViewInput,
  status: 201,
  response: SavedView,
  example,
})

export const updateSavedView = route({
  method: 'PUT',
  path: '/v1/saved-views/{id}',
  tag,
  summary: 'Update a saved view',
  description: 'Changes only the fields that are sent. A shared view of someone else requires READ_WRITE.',
  access: 'READ_ONLY',
  params,
  body: updateOf(SavedViewInput),
  status: 200,
  response: SavedView,
  example: { name: 'Checkout' },
})

export const deleteSavedView = route({
  method: 'DELETE',
  path: '/v1/saved-views/{id}',
  tag,
  summary: 'Delete a saved view',
  description: 'A shared view of someone else requires READ_WRITE.',
  access: 'READ_ONLY',
  params,
  status: 204,
})
