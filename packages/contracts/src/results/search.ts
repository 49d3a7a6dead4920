// Finds what belongs to an account by name, for a palette.
import { z } from 'zod'
import { route } from '../core/route.ts'

/** In the order of the response. */
export const searchKinds = [
  'check',
  'group',
  'incident',
  'status-page',
  'dashboard',
  'alert-channel',
  'private-location',
  'maintenance-window',
] as const

export const SearchHit = z
  .object({
    kind: z.enum(searchKinds),
    id: z.string().describe('As the routes of the resource take it'),
    name: z.string(),
    detail: z.string().nullable().describe('What distinguishes it: type and host, status, address'),
  })
  .meta({ id: 'SearchHit' })

export type SearchHit = z.output<typeof SearchHit>

export const search = route({
  method: 'GET',
  path: '/v1/search',
  tag: 'Overview',
  summary: 'Search checks and other resources by name',
  description:
    'Checks are also found by tag, group, host of the target and id, other resources also by id. Names that begin with the query ' +
    'come first, then those with a word that does.',
  access: 'READ_ONLY',
  query: z.object({
    query: z.string().trim().min(1).max(200),
    limit: z.int().min(1).max(50).default(5).describe('Of each kind'),
  }),
  status: 200,
  response: z.array(SearchHit),
})
