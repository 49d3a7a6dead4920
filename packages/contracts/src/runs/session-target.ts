// Input that check sessions and test sessions share.
import { z } from 'zod'
import { Uuid } from '../core/fields.ts'

export const SessionTarget = z
  .object({
    matchTags: z
      .array(z.array(z.string().min(1).max(201)).max(100))
      .max(100)
      .optional()
      .describe(
        'Checks that match one of these lists: they have every tag of it, and none of those that begin with "!". Tags of ' +
          'their groups count.',
      ),
    checkId: z.array(Uuid).max(10_000).optional().describe('Of the matching checks, only these'),
  })
  .meta({ id: 'SessionTarget' })

export const CompletionQuery = z.object({
  maxWaitSeconds: z.int().min(1).max(30).default(30).describe('How long to wait for the end of the session'),
})

/** Absent: all runs of the session. */
export const SequenceIds = z.array(Uuid).min(1).max(10_000).optional().describe('Only these runs')
