// Live events of an account, as server-sent events.
import { z } from 'zod'
import { Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { OverviewCheck, StateCounts } from './overview.ts'

/** The data of an event `change`. */
export const OverviewChange = z
  .object({
    counts: StateCounts,
    muted: z.int().min(0),
    checks: z.array(OverviewCheck).describe('Those of checkIds that have changed'),
    changed: z.int().min(0).describe('How many other checks have changed or were deleted'),
  })
  .meta({ id: 'OverviewChange' })

export type OverviewChange = z.output<typeof OverviewChange>

export const maxWatchedChecks = 200

export const streamEvents = route({
  method: 'GET',
  path: '/v1/events',
  tag: 'Overview',
  summary: 'Receive changes as they happen',
  description:
    'A stream of server-sent events, at most one `change` a second (`OverviewChange`): the first one has all checks of ' +
    '`checkIds`, later ones those that have changed. `alert` and `incident` are entries of `recent` in GET /v1/overview. With the ' +
    'header Last-Event-ID, events since then are repeated; if that is too long ago, the first event is `reload`. A stream ends ' +
    'within 5 seconds when the caller loses access. An account can have 500 streams on each server.',
  access: 'READ_ONLY',
  query: z.object({
    checkIds: z
      .array(Uuid.toLowerCase())
      .max(maxWatchedChecks)
      .optional()
      .describe('Checks that are sent in full; of others only the number'),
  }),
  status: 200,
  contentType: 'text/event-stream',
  response: z.string(),
})
