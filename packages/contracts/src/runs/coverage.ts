// Coverage: every slot of a check ends as executed, skipped or missed.
import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import type { FieldIssue } from '../core/errors.ts'
import { Timestamp, Uuid } from '../core/fields.ts'
import { PagedQuery } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { endOfYear9999, UnixSeconds } from '../core/time-window.ts'

const count = z.int().min(0)
const ms = z.number().min(0).describe('Milliseconds')

const Counts = z.object({
  expected: count.describe('Executed, skipped and missed together'),
  executed: count,
  skipped: count.describe(
    'On purpose: a run was in progress, a maintenance window was open, or a quota was used up',
  ),
  missed: count.describe('There was no run'),
  ratio: z
    .number()
    .nullable()
    .describe(
      'Executed of expected, without slots that maintenance windows paused, 0 to 1; null if nothing was expected',
    ),
  reasons: z.object({
    inProgress: count.describe('Skipped: the previous run was still in progress'),
    maintenance: count.describe('Skipped: paused by a maintenance window'),
    quota: count.describe('Skipped: a quota of the account was used up'),
    agent: count.describe('Missed: no agent ran it'),
    server: count.describe('Missed: no server was alive'),
  }),
  lag: z
    .object({ p50: ms, p95: ms, p99: ms, max: ms })
    .nullable()
    .describe('From the scheduled instant to the start of the run; percentiles within 1 %'),
})

export type CoverageCounts = z.output<typeof Counts>

const period = {
  from: Timestamp.describe('The start of an hour'),
  to: Timestamp.describe('The start of an hour; not included'),
}

export const CheckCoverage = z
  .object({
    checkId: Uuid,
    name: z.string(),
    checkType: CheckType,
    ...period,
    totals: Counts.meta({ id: 'CoverageCounts' }),
  })
  .meta({ id: 'CheckCoverage' })

export const CheckCoverageByHour = CheckCoverage.extend({
  rows: z.array(z.object({ hour: Timestamp, location: z.string(), ...Counts.shape })),
}).meta({ id: 'CheckCoverageByHour' })

const query = {
  from: UnixSeconds.optional().describe(
    'UNIX seconds, rounded down to the full hour; 24 hours before `to` when absent',
  ),
  to: UnixSeconds.optional().describe('UNIX seconds, rounded up to the full hour; now when absent'),
}

const hour = 3600

/** Whole hours, in seconds: coverage is counted by hour. */
export function coveragePeriod(
  { from, to }: { from?: number | undefined; to?: number | undefined },
  nowMs: number,
): { from: number; to: number } {
  const end = to ?? Math.floor(nowMs / 1000)
  return {
    from: Math.floor((from ?? end - 24 * hour) / hour) * hour,
    to: Math.min(Math.ceil(end / hour) * hour, endOfYear9999),
  }
}

export function coveragePeriodIssues(
  { from, to }: { from: number; to: number },
  maxDays: number,
): FieldIssue[] {
  if (from >= to) return [{ path: ['from'], message: 'must be before to' }]
  if (to - from > (maxDays * 24 + 1) * hour)
    return [{ path: ['from'], message: `must be at most ${maxDays} days before to` }]
  return []
}

export const maxCoverageDays = { check: 31, list: 7 }

const tag = 'Coverage'

export const getCheckCoverage = route({
  method: 'GET',
  path: '/v1/checks/{id}/coverage',
  tag,
  summary: 'Read the coverage of a check, per hour and location',
  description: `At most ${maxCoverageDays.check} days at once.`,
  access: 'READ_ONLY',
  params: z.object({ id: Uuid }),
  query: z.object(query),
  status: 200,
  response: CheckCoverageByHour,
})

export const listCoverage = route({
  method: 'GET',
  path: '/v1/coverage',
  tag,
  summary: 'List the coverage of each check',
  description: `In the order of the list of checks. At most ${maxCoverageDays.list} days at once.`,
  access: 'READ_ONLY',
  query: PagedQuery.extend(query),
  status: 200,
  response: z.array(CheckCoverage),
  paged: true,
})
