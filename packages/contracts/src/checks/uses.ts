// What would be affected if something shared were deleted.
import { z } from 'zod'
import { SerialId, Uuid } from '../core/fields.ts'

/** Of each kind. */
export const maxListedUses = 20

export const Uses = z
  .object({
    checks: z.array(z.object({ id: Uuid, name: z.string() })).describe(`By name, at most ${maxListedUses}`),
    checkCount: z.int().min(0),
    groups: z
      .array(z.object({ id: SerialId, name: z.string() }))
      .describe(`By name, at most ${maxListedUses}`),
    groupCount: z.int().min(0),
  })
  .meta({ id: 'Uses' })

export type Uses = z.output<typeof Uses>
