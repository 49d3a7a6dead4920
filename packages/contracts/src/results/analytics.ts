// Reports over the results of checks: a series of one check, and a summary of many.
import { z } from 'zod'
import { type Grouping, metricUnits } from '../checks/definition.ts'
import { heartbeatStates } from '../checks/heartbeats.ts'
import { CheckType, checkTypeNames, definitionOf } from '../checks/index.ts'
import { Tags, Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { type AnyRoute, route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'
import { aggregations, metricsOf, unmeasuredMetricsOf } from './analytics-metrics.ts'

export const quickRanges = [
  'last24Hours',
  'last7Days',
  'last30Days',
  'thisWeek',
  'thisMonth',
  'lastWeek',
  'lastMonth',
] as const

export type QuickRange = (typeof quickRanges)[number]

export const AnalyticsMetadata = z
  .record(
    z.string(),
    z.object({
      unit: z.enum(metricUnits),
      label: z.string(),
      aggregation: z.enum(aggregations).optional(),
    }),
  )
  .meta({ id: 'AnalyticsMetadata' })

/** The requested metrics, and what the row is about: startedAt, runLocation, statusCode, pageIndex. */
const AnalyticsRow = z
  .record(z.string(), z.union([z.number(), z.string(), z.null()]))
  .meta({ id: 'AnalyticsRow' })

export const AnalyticsSeries = z
  .object({
    runLocation: z.string().optional(),
    statusCode: z.int().nullable().optional(),
    pageIndex: z.int().nullable().optional(),
    data: z.array(AnalyticsRow),
  })
  .meta({ id: 'AnalyticsSeries' })

/** spec §2.12; `series` holds objects. */
export const AnalyticsReport = z
  .object({
    checkId: Uuid,
    name: z.string(),
    checkType: CheckType,
    activated: z.boolean(),
    muted: z.boolean(),
    frequency: z.number(),
    from: Timestamp,
    to: Timestamp,
    tags: Tags,
    series: z.array(AnalyticsSeries),
    pagination: z.object({ page: z.number(), limit: z.number() }),
    metadata: AnalyticsMetadata,
  })
  .meta({ id: 'AnalyticsReport' })

export type AnalyticsReport = z.output<typeof AnalyticsReport>

const tag = 'Analytics'
const params = z.object({ id: Uuid.toLowerCase() })
const rateLimit = { limit: 30, seconds: 60 }

const rangeQuery = {
  from: UnixSeconds.optional().describe('UNIX seconds; overrides quickRange'),
  to: UnixSeconds.optional().describe('UNIX seconds; overrides quickRange'),
  quickRange: z.enum(quickRanges).default('last24Hours').describe('In UTC; weeks begin on Monday'),
}

const intervalQuery = {
  aggregationInterval: z
    .number()
    .min(1)
    .max(43_200)
    .optional()
    .describe('Minutes per row; without it, one row for the whole range or one per run'),
  filterByStatus: z
    .array(z.enum(['success', 'failure']))
    .max(2)
    .optional(),
}

function metricsQuery(type: CheckType) {
  const names = metricsOf(type).map(({ name }) => name)
  const allowed = new Set([...names, ...unmeasuredMetricsOf(type)])
  const metric = z.string().superRefine((name, context) => {
    if (allowed.has(name)) return
    context.addIssue({
      code: 'custom',
      message: `is "${name}", which isn't a metric of this type; allowed are ${names.join(', ')}`,
    })
  })
  return z
    .array(metric.meta({ enum: names }))
    .min(1)
    .max(allowed.size)
}

function analyticsRoute(
  type: CheckType,
  path: string,
  title: string,
  groupBy: readonly [Grouping, ...Grouping[]],
) {
  return route({
    method: 'GET',
    path: `/v1/analytics/${path}/{id}`,
    tag,
    summary: `Report on ${title}`,
    access: 'READ_ONLY',
    params,
    query: PagedQuery.extend({
      ...rangeQuery,
      ...intervalQuery,
      groupBy: z.enum(groupBy).optional(),
      metrics: metricsQuery(type).describe('Separated by commas, or repeated as metrics[]'),
    }),
    status: 200,
    response: AnalyticsReport,
    rateLimit,
  })
}

/** The report of each type that has one; that of heartbeats is below. */
export const analyticsRouteOf = new Map(
  checkTypeNames.flatMap((type) => {
    const { analytics, title } = definitionOf(type)
    if (analytics === null) return []
    return [[type, analyticsRoute(type, analytics.path, analytics.title ?? title, analytics.groupBy)]]
  }),
)

/** The same by name: getUrlMonitorAnalytics. */
export const reportsOfTypes: Record<string, AnyRoute> = Object.fromEntries(
  [...analyticsRouteOf].map(([type, report]) => [`get${definitionOf(type).name}Analytics`, report]),
)

export const getHeartbeatAnalytics = route({
  method: 'GET',
  path: '/v1/analytics/heartbeat-checks/{id}',
  tag,
  summary: 'Report on a heartbeat monitor',
  access: 'READ_ONLY',
  params,
  query: PagedQuery.extend({
    ...rangeQuery,
    filterByStatus: z.array(z.enum(heartbeatStates)).max(heartbeatStates.length).optional(),
    metrics: metricsQuery('HEARTBEAT').default(['availability']),
  }),
  status: 200,
  response: AnalyticsReport,
  rateLimit: { limit: 600, seconds: 60 },
})

export const AnalyticsMetric = z
  .object({
    name: z.string(),
    unit: z.enum(metricUnits),
    label: z.string(),
    type: z.enum(['Array', 'Int', 'Integer', 'Float', 'String']),
    aggregated: z.boolean().describe('Whether it stands for several runs'),
  })
  .meta({ id: 'AnalyticsMetric' })

export const listAnalyticsMetrics = route({
  method: 'GET',
  path: '/v1/analytics/metrics',
  tag,
  summary: 'List the metrics of a check type',
  access: 'READ_ONLY',
  query: z.object({ checkType: CheckType }),
  status: 200,
  response: z.array(AnalyticsMetric),
})

const value = z.number().nullable().optional()

/** Absent: the type doesn't have this metric. Null: there were no runs. */
export const AnalyticsSummary = z
  .object({
    checkId: Uuid,
    checkType: CheckType,
    availability: value,
    responseTime_avg: value,
    responseTime_p50: value,
    responseTime_p95: value,
    responseTime_p99: value,
    latency_avg: value,
    latency_p50: value,
    latency_p95: value,
    latency_p99: value,
    packetLoss_avg: value,
    packetLoss_p95: value,
    packetLoss_p99: value,
  })
  .meta({ id: 'AnalyticsSummary' })

export type AnalyticsSummary = z.output<typeof AnalyticsSummary>

export const summarizeChecks = route({
  method: 'POST',
  path: '/v1/analytics/checks',
  tag,
  summary: 'Summarize up to 100 checks',
  description: "Checks that the account doesn't have are omitted.",
  access: 'READ_ONLY',
  query: z.object({
    quickRange: z
      .enum(['last24Hours', 'last7Days', 'thisWeek', 'lastWeek', 'lastMonth'])
      .default('last24Hours'),
  }),
  body: z.object({ checkIds: z.array(Uuid.toLowerCase()).min(1).max(100) }),
  status: 200,
  response: z.array(AnalyticsSummary),
  rateLimit,
  example: { checkIds: ['c0ffee00-0000-4000-8000-000000000001'] },
})
