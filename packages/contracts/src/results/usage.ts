// What the checks of an account ran, in the shape in which command-line clients ask for it.
import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

/** Days of a usage report: older ones aren't read. */
export const usageDays = 400

const Day = z.iso.date('must be a date such as 2026-01-31').min(10)

const count = () => z.int().min(0)
const nothing = (why: string) => z.literal(0).describe(`Always 0: ${why}`)

const CheckRunMeasures = z
  .object({
    totalRuns: count().describe('Final runs and retries'),
    finalRuns: count(),
    retryRuns: count(),
    cancelledRuns: nothing("canceled runs aren't counted"),
    multiStepRequests: nothing('nothing is billed by requests'),
    playwrightBillableDurationMs: nothing('nothing is billed by duration'),
    degradedRuns: count(),
    failedRuns: count().describe('Also those over the maximum response time'),
    errorRuns: count().describe("Runs that couldn't be made"),
    abortedRuns: nothing('no limit aborts runs'),
    overMaxResponseTimeRuns: nothing('they are in failedRuns'),
    standardBillableUnits: nothing('nothing is billed'),
    premiumBillableUnits: nothing('nothing is billed'),
  })
  .meta({ id: 'CheckRunMeasures' })

const UsageMetrics = z.object({
  credits: z
    .object({ used: z.null(), percentOfBudget: z.null() })
    .describe('Always null: an installation has no credits'),
  meters: z.array(z.object({ meterType: z.literal('CHECK_RUN'), measures: CheckRunMeasures })),
})

export const UsageTerms = z
  .object({
    id: Uuid.describe('The id of the account'),
    name: z.string().describe('The name of the account'),
    accounts: z.array(z.object({ id: Uuid, name: z.string() })),
    contractStartDate: Day.describe('The day on which the account was created'),
    contractEndDate: Day.describe('The requested day: accounts have no contract'),
    usageStartDate: Day.describe(
      `The first day of usage reports: at most ${usageDays} days, none before the account`,
    ),
    creditBudget: z.null(),
    standardCreditsPerUnit: z.null(),
    premiumCreditsPerUnit: z.null(),
  })
  .meta({ id: 'UsageTerms' })

const UsageWindow = z
  .object({
    usage: UsageMetrics,
    projectedAnnualPercentOfBudget: z.null(),
    projectedCreditsAtContractEnd: z.null(),
    projectedPercentAtContractEnd: z.null(),
    projectedWeeksUntilExhausted: z.null(),
  })
  .meta({ id: 'UsageWindow' })

export const UsageSummary = z
  .object({
    usageTermsId: Uuid,
    period: z.object({ from: Day, to: Day }),
    totals: UsageMetrics,
    projections: z
      .object({
        weeksSinceStart: count(),
        weeksRemaining: count().describe('Always 0: accounts have no contract'),
        remainingCredits: z.null(),
        windows: z.object({
          sinceStart: UsageWindow,
          last30Days: UsageWindow,
          last7Days: UsageWindow,
          last1Day: UsageWindow,
        }),
      })
      .describe('As of today, whatever the period'),
  })
  .meta({ id: 'UsageSummary' })

export const usageIntervals = ['total', 'day', 'week', 'month'] as const
const usageGroupings = ['account', 'checkType', 'account,checkType'] as const

export const UsageSeries = z
  .object({
    usageTermsId: Uuid,
    period: z.object({
      from: Day,
      to: Day,
      interval: z.enum(usageIntervals),
      groupBy: z.enum(usageGroupings),
    }),
    data: z.array(
      UsageMetrics.extend({
        periodStart: Day,
        periodEnd: Day.describe('Inclusive'),
        accountId: Uuid.optional(),
        checkType: CheckType.optional(),
      }),
    ),
    length: count().describe('The number of rows on this page'),
    nextId: z.string().nullable(),
    warnings: z.array(z.object({ code: z.enum(['PARTIAL_WINDOW']), message: z.string() })),
  })
  .meta({ id: 'UsageSeries' })

const TermsQuery = z.object({
  to: Day.optional().describe('Inclusive; today when left out. Days are in UTC.'),
})

const RangeQuery = TermsQuery.extend({
  from: Day.optional().describe('Inclusive; the usage start date of the terms when left out'),
  accountIds: z.array(Uuid).max(100).optional().describe('Only the chosen account may be named'),
  checkTypes: z.array(CheckType).max(100).optional(),
})

const shared = { method: 'GET', tag: 'Usage', access: 'READ_ONLY', status: 200 } as const

export const getUsageTerms = route({
  ...shared,
  path: '/v1/usage/terms',
  summary: 'The account and the days that usage reports are about',
  description:
    'Clients of a hosted service read a contract here. A self-hosted installation has none: no budget, no prices.',
  query: TermsQuery,
  response: UsageTerms,
})

export const getUsageSummary = route({
  ...shared,
  path: '/v1/usage/summary',
  summary: 'How many runs the checks of the account made',
  description:
    'Runs of test sessions and of deleted checks are not counted, and neither are pings of heartbeat monitors.',
  query: RangeQuery,
  response: UsageSummary,
})

export const getUsageSeries = route({
  ...shared,
  path: '/v1/usage/series',
  summary: 'How many runs the checks of the account made, per day, week or month',
  description: 'Only periods and types with runs. Weeks begin on Mondays.',
  query: RangeQuery.extend({
    interval: z.enum(usageIntervals).default('day'),
    groupBy: z.enum(usageGroupings).default('account,checkType'),
    limit: z.int().min(1).max(500).default(100),
    nextId: z.string().max(100).optional().describe('The nextId of the page before, with the same query'),
  }),
  response: UsageSeries,
})

const limit = z.int().min(0).nullable().describe('Null: no limit')

export const UsageQuotas = z
  .object({
    runsPerMinute: z
      .object({
        limit,
        used: z
          .int()
          .min(0)
          .nullable()
          .describe('In the current minute, retries not counted; null without a limit'),
      })
      .describe(
        'Scheduled runs beyond it are skipped slots, with the reason `quota` in the coverage of the check',
      ),
    codeSecondsPerHour: z
      .object({
        limit,
        used: z.number().min(0).describe('In the current hour (UTC), attempts and tests included'),
      })
      .describe('Duration of browser, multi-step, suite and agentic runs'),
    artifactBytes: z
      .object({ limit, used: z.number().min(0) })
      .describe(
        'Files of runs and code bundles. Files of runs beyond it are not kept; the log of the run says so',
      ),
  })
  .meta({ id: 'UsageQuotas' })

export const getUsageQuotas = route({
  ...shared,
  path: '/v1/usage/quotas',
  summary: 'What the operator allows the account to use, and what it has used',
  response: UsageQuotas,
})
