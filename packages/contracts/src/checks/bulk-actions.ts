// One change of many checks at once, with a preview of its effect.
import { z } from 'zod'
import { SerialId, Tags, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { OverviewQuery } from '../results/overview.ts'

/** More checks are refused, so that a request ends within a minute. */
export const maxBulkChecks = 10_000

const { sort: _sort, order: _order, limit: _limit, offset: _offset, ...filters } = OverviewQuery.shape

const BulkSelection = z
  .union([
    z.object({ checkIds: z.array(Uuid.toLowerCase()).min(1).max(maxBulkChecks) }).strict(),
    z
      .object({
        filter: z.object(filters).describe('The filters of GET /v1/overview/checks; {}: all checks'),
      })
      .strict(),
  ])
  .meta({ id: 'BulkSelection' })

const common = {
  selection: BulkSelection,
  dryRun: z.boolean().default(false).describe('Whether to change nothing and return what would change'),
  expectedCount: z
    .int()
    .min(0)
    .max(maxBulkChecks)
    .optional()
    .describe(
      'How many checks are meant: if the selection has another number, nothing changes. `delete` requires it',
    ),
}

export const BulkAction = z
  .discriminatedUnion('action', [
    z.object({ action: z.literal('pause'), ...common }),
    z.object({ action: z.literal('resume'), ...common }),
    z.object({
      action: z.literal('mute'),
      mutedUntil: Timestamp.nullable()
        .default(null)
        .describe('A time in the future; null: until they are unmuted'),
      ...common,
    }),
    z.object({ action: z.literal('unmute'), ...common }),
    z.object({ action: z.literal('addTags'), tags: Tags.min(1), ...common }),
    z.object({ action: z.literal('removeTags'), tags: Tags.min(1), ...common }),
    z.object({
      action: z.literal('moveToGroup'),
      groupId: SerialId.nullable().describe('null: out of their groups'),
      ...common,
    }),
    z.object({ action: z.literal('delete'), ...common }),
    z.object({ action: z.literal('run'), ...common }),
  ])
  .meta({ id: 'BulkAction' })

export type BulkAction = z.output<typeof BulkAction>

const count = z.int().min(0)

const BulkItem = z
  .object({
    checkId: Uuid,
    name: z.string().nullable().describe('null: the account has no such check'),
    outcome: z.enum(['changed', 'unchanged', 'failed']),
    reason: z.string().nullable().describe('Why it was not changed'),
  })
  .meta({ id: 'BulkItem' })

export type BulkItem = z.output<typeof BulkItem>

const BulkResult = z
  .object({
    summary: z.string(),
    total: count.describe('The number of checks that were selected and exist'),
    changed: count.describe('With dryRun: how many would be'),
    unchanged: count.describe('They already are as asked for'),
    failed: count.describe('Also ids that the account does not have'),
    warnings: z.array(z.string()).describe('What else the action means for these checks'),
    items: z.array(BulkItem),
    undo: z
      .array(BulkAction)
      .describe('Requests that restore what was changed, in this order; empty if it cannot be undone'),
  })
  .meta({ id: 'BulkResult' })

export type BulkResult = z.output<typeof BulkResult>

export const createBulkAction = route({
  method: 'POST',
  path: '/v1/bulk-actions',
  tag: 'Bulk actions',
  summary: 'Change many checks at once',
  description:
    'Checks are changed in batches, each of them completely or not at all; one that cannot be changed does not keep the ' +
    'others from it. `run` requires READ_RUN, all other actions READ_WRITE.',
  access: 'READ_RUN',
  body: BulkAction,
  status: 200,
  response: BulkResult,
  errors: [409],
  example: { action: 'mute', selection: { filter: { tag: ['checkout'] } }, dryRun: true },
})
