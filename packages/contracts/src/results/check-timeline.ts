// What charts of a check show besides its figures.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'

const CheckTimeline = z
  .object({
    maintenance: z
      .array(z.object({ from: Timestamp, to: Timestamp }))
      .describe('When maintenance windows paused it, without overlaps'),
    events: z
      .array(
        z.object({
          at: Timestamp,
          kind: z.enum(['deployment', 'change']),
          text: z.string().describe('What was deployed, or who changed what'),
        }),
      )
      .describe(
        'Deployments that concern it and changes of its settings, in order; at most the last 100 of each',
      ),
  })
  .meta({ id: 'CheckTimeline' })

export const getCheckTimeline = route({
  method: 'GET',
  path: '/v1/checks/{id}/timeline',
  tag: 'Checks',
  summary: 'Read the maintenance, deployments and changes of a check',
  access: 'READ_ONLY',
  params: z.object({ id: Uuid }),
  query: z.object({
    from: UnixSeconds.optional().describe('UNIX time in seconds, inclusive; absent: 24 hours before `to`'),
    to: UnixSeconds.optional().describe('UNIX time in seconds, exclusive; absent: now'),
  }),
  status: 200,
  response: CheckTimeline,
})
