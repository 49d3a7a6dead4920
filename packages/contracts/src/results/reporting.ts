import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { Tags, Timestamp, Uuid } from '../core/fields.ts'
import { keysOf } from '../core/objects.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'

/** The names of this route, with those of the analytics routes. */
export const reportingRanges = {
  last24Hrs: 'last24Hours',
  last7Days: 'last7Days',
  last30Days: 'last30Days',
  thisWeek: 'thisWeek',
  thisMonth: 'thisMonth',
  lastWeek: 'lastWeek',
  lastMonth: 'lastMonth',
} as const

export type ReportingRange = keyof typeof reportingRanges

export const ReportingAggregate = z
  .object({
    successRatio: z.number().min(0).max(100).describe('Percent; 0 when there were no runs'),
    avg: z.number().min(0),
    p95: z.number().min(0),
    p99: z.number().min(0),
  })
  .meta({ id: 'ReportingAggregate' })

export const ReportingBucket = ReportingAggregate.extend({ from: Timestamp, to: Timestamp }).meta({
  id: 'ReportingBucket',
})

export const ReportingRow = z
  .object({
    name: z.string(),
    checkId: Uuid,
    checkType: CheckType,
    deactivated: z.boolean(),
    tags: Tags,
    aggregate: ReportingAggregate.optional(),
    aggregates: z.array(ReportingBucket).optional(),
  })
  .meta({ id: 'ReportingRow' })

export const granularities = ['day', 'week', 'month'] as const

export type Granularity = (typeof granularities)[number]

/** Limits of a report with a granularity. */
export const reportingLimits = { days: 400, buckets: 120 }

export const getReporting = route({
  method: 'GET',
  path: '/v1/reporting',
  tag: 'Reporting',
  summary: 'Report on all checks: success ratio and response times',
  access: 'READ_ONLY',
  query: z.object({
    from: UnixSeconds.optional().describe('UNIX seconds; overrides quickRange'),
    to: UnixSeconds.optional().describe('UNIX seconds; overrides quickRange'),
    quickRange: z.enum(keysOf(reportingRanges)).default('last24Hrs').describe('In UTC'),
    filterByTags: Tags.optional().describe('Checks that have one of these tags, or whose group has one'),
    deactivated: z.boolean().optional().describe('Only deactivated checks, or only activated ones'),
    granularity: z
      .enum(granularities)
      .optional()
      .describe('One aggregate per day, week (from Monday) or month instead of one for the range'),
    timezone: z.string().min(1).max(100).optional().describe('IANA name for the granularity; UTC without it'),
  }),
  status: 200,
  response: z.array(ReportingRow),
})
