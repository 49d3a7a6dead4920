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
          kind: z.enum(['deployment', 'change', 'certificate']),
          text: z.string().describe('What was deployed, who changed what, or which certificate is new'),
        }),
      )
      .describe(
        'Deployments that concern it, changes of its settings and of the certificate chain of its target, in order; at most the last 100 of each',
      ),
    certificates: z
      .array(
        z.object({
          firstSeenAt: Timestamp,
          lastSeenAt: Timestamp.describe('At most an hour before it was last seen'),
          subject: z.string(),
          issuer: z.string(),
          validTo: Timestamp,
        }),
      )
      .describe(
        'Certificates of the target that were seen in the range, oldest first; at most the last 100. Servers behind one name may have several',
      ),
    certificateAlertDays: z
      .int()
      .nullable()
      .describe('How many days before the expiry the first subscribed channel is notified; null: none is'),
  })
  .meta({ id: 'CheckTimeline' })

export const getCheckTimeline = route({
  method: 'GET',
  path: '/v1/checks/{id}/timeline',
  tag: 'Checks',
  summary: 'Read the maintenance, deployments, changes and certificates of a check',
  access: 'READ_ONLY',
  params: z.object({ id: Uuid }),
  query: z.object({
    from: UnixSeconds.optional().describe('UNIX time in seconds, inclusive; absent: 24 hours before `to`'),
    to: UnixSeconds.optional().describe('UNIX time in seconds, exclusive; absent: now'),
  }),
  status: 200,
  response: CheckTimeline,
})
