// Figures of checks over any range, filtered, sorted and paged on the server.
import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { UnixSeconds } from '../core/time-window.ts'
import { OverviewQuery } from './overview.ts'

const count = z.int().min(0)
const percent = z.number().min(0).max(100).nullable()
const ms = z.number().min(0).nullable()

const counted = {
  runs: count,
  failedRuns: count,
  availability: percent.describe('Percent of the runs that passed; null: no runs'),
  skipped: count.describe('Scheduled runs that were left out on purpose'),
  missed: count.describe('Scheduled runs that nobody made'),
  coverage: percent.describe(
    'Percent of the runs that were due, without those that maintenance windows paused; null: none were due',
  ),
}

export const ReportCounts = z.object(counted).meta({ id: 'ReportCounts' })

export type ReportCounts = z.output<typeof ReportCounts>

export const ReportFigures = z
  .object({ ...counted, avg: ms, p50: ms, p95: ms, p99: ms })
  .meta({ id: 'ReportFigures' })

export type ReportFigures = z.output<typeof ReportFigures>

export const ReportEntry = z
  .object({
    checkId: Uuid,
    name: z.string(),
    checkType: CheckType,
    groupId: SerialId.nullable(),
    groupName: z.string().nullable(),
    tags: z.array(z.string()),
    activated: z.boolean(),
    figures: ReportFigures,
    previous: ReportFigures.describe('Of the period of the same length before'),
  })
  .meta({ id: 'ReportEntry' })

export type ReportEntry = z.output<typeof ReportEntry>

export const reportColumns = [
  'name',
  'type',
  'availability',
  'runs',
  'failedRuns',
  'coverage',
  'missed',
  'avg',
  'p50',
  'p95',
  'p99',
] as const

export type ReportColumn = (typeof reportColumns)[number]

export const maxReportDays = 400

export const ReportQuery = OverviewQuery.pick({
  query: true,
  type: true,
  tag: true,
  location: true,
  groupId: true,
  order: true,
}).extend({
  from: UnixSeconds.optional().describe('Rounded down to the full hour; 24 hours before `to` when absent'),
  to: UnixSeconds.optional().describe('Rounded up to the full hour; now when absent'),
  activated: z.boolean().optional(),
  sort: z
    .enum(reportColumns)
    .default('name')
    .describe(
      'Checks without a value come last. Sorting by response times reads those of all matching checks',
    ),
  limit: z.int().min(1).max(500).default(50),
  offset: z.int().min(0).max(10_000_000).default(0),
})

const period = z.object({ from: Timestamp, to: Timestamp })

export const getReport = route({
  method: 'GET',
  path: '/v1/reports/checks',
  tag: 'Reporting',
  summary: 'Report on checks: availability, response times and coverage, compared with the period before',
  description: `At most ${maxReportDays} days. Runs on request count as well.`,
  access: 'READ_ONLY',
  query: ReportQuery,
  status: 200,
  response: z.object({
    period,
    previousPeriod: period,
    total: count.describe('The number of matching checks'),
    totals: ReportCounts.describe('Of all matching checks'),
    previousTotals: ReportCounts,
    entries: z.array(ReportEntry),
  }),
})
