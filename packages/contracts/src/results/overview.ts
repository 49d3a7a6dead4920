// What the first screens of the app show: checks with their states, figures and last runs.
import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { SerialId, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { checkStates, stateFields, verdicts } from './check-state.ts'

const count = z.int().min(0)
const percent = z.number().min(0).max(100).nullable()

/** The number of runs that an overview shows of each check. */
export const overviewRuns = 30

/** What a tick shows. A list has a thousand of them, so it has no more: results have their own route. */
const OverviewRun = z
  .object({
    state: z.enum(verdicts),
    duration: z.int().min(0).describe('Milliseconds'),
  })
  .meta({ id: 'OverviewRun' })

export const OverviewCheck = z
  .object({
    id: Uuid,
    name: z.string(),
    checkType: CheckType,
    groupId: SerialId.nullable(),
    groupName: z.string().nullable(),
    tags: z.array(z.string()).describe('Of the check and of its group'),
    activated: z.boolean().describe('The setting of the check; its group may still be deactivated'),
    muted: z.boolean().describe('Also if its group is muted'),
    mutedUntil: Timestamp.nullable().describe('When the mute ends; null: it does not end by itself'),
    frequency: z.int().describe('Minutes; 0: every frequencyOffset seconds'),
    frequencyOffset: z.int().nullable(),
    locations: z.array(z.string()).describe('Where it runs: those of its group, if the group has any'),
    privateLocations: z.array(z.string()),
    state: stateFields.state,
    since: stateFields.since,
    reason: stateFields.reason,
    lastRunAt: stateFields.lastRunAt,
    nextRunAt: stateFields.nextRunAt,
    staleLocations: stateFields.staleLocations,
    availability24h: percent.describe('Percent of the runs of 24 full hours and since then; null: none'),
    availability7d: percent.describe('Percent of the runs of 7 days, counted in the same way'),
    p95: z
      .number()
      .min(0)
      .nullable()
      .describe('Milliseconds, of 24 full hours; before the first one is over, of all runs'),
    runs: z.array(OverviewRun).describe(`The last ${overviewRuns}, the oldest first`),
  })
  .meta({ id: 'OverviewCheck' })

export type OverviewCheck = z.output<typeof OverviewCheck>

export const StateCounts = z
  .object({
    passing: count,
    degraded: count,
    failing: count,
    unknown: count,
    maintenance: count,
    inactive: count,
  })
  .meta({ id: 'StateCounts' })

export type StateCounts = z.output<typeof StateCounts>

/** In the order in which states are sorted: the worst first. */
export const statesBySeverity = [
  'failing',
  'degraded',
  'unknown',
  'passing',
  'maintenance',
  'inactive',
] as const satisfies readonly (typeof checkStates)[number][]

const OverviewGroup = z
  .object({
    groupId: SerialId.nullable().describe('null: checks without a group'),
    name: z.string().nullable(),
    total: count,
    counts: StateCounts,
  })
  .meta({ id: 'OverviewGroup' })

export type OverviewGroup = z.output<typeof OverviewGroup>

export const overviewColumns = [
  'name',
  'state',
  'type',
  'availability24h',
  'availability7d',
  'p95',
  'lastRunAt',
  'frequency',
  'group',
] as const

const text = z.string().min(1).max(200)

export const OverviewQuery = z.object({
  query: z
    .string()
    .max(200)
    .optional()
    .describe('Words that must all occur in the name, group, tags, target host or id, in any case'),
  state: z.array(z.enum(checkStates)).max(checkStates.length).optional(),
  type: z.array(CheckType).max(50).optional(),
  tag: z.array(text).max(100).optional().describe('Any of these, of the check or of its group'),
  location: z
    .array(text)
    .max(100)
    .optional()
    .describe('Any of these: regions, or slugs of private locations'),
  groupId: SerialId.optional(),
  muted: z.boolean().optional(),
  sort: z
    .enum(overviewColumns)
    .default('name')
    .describe(
      'Checks without a value come last; equal ones are in the order of their names. `group`: by the name of the group',
    ),
  order: z.enum(['asc', 'desc']).default('asc').describe('By state, `asc` begins with failing checks'),
  limit: z.int().min(1).max(200).default(50),
  offset: z.int().min(0).max(10_000_000).default(0),
})

const tag = 'Overview'

export const listOverviewChecks = route({
  method: 'GET',
  path: '/v1/overview/checks',
  tag,
  summary: 'List checks with states, figures and last runs, filtered and sorted',
  description:
    'States are those of GET /v1/check-statuses at this moment. The runs of the hour in progress are added to the figures ' +
    'within seconds.',
  access: 'READ_ONLY',
  query: OverviewQuery.extend({
    maxAge: z
      .int()
      .min(0)
      .max(10_000)
      .default(0)
      .describe(
        'Milliseconds: a response that is at most so old will do, as for each key that somebody types',
      ),
  }),
  status: 200,
  response: z.object({
    total: count.describe('The number of matching checks'),
    counts: StateCounts.describe('Of the checks that match all filters except `state`'),
    muted: count.describe('How many of these are muted'),
    groups: z
      .array(OverviewGroup)
      .describe('With `sort=group`: the groups of all matching checks, in their order; otherwise empty'),
    entries: z.array(OverviewCheck),
  }),
})

export const Attention = z
  .object({
    key: z.string().describe('Stays the same while the entry does'),
    state: z.enum(['failing', 'degraded', 'unknown']),
    reason: z.string().describe('Of the only check, or of most of them'),
    groupedBy: z
      .enum(['host', 'error', 'location'])
      .nullable()
      .describe(
        'What its checks share: the host of the target, the error or the location; null: it is one check',
      ),
    label: z.string().describe('A sentence about all of them, or the name of the only one'),
    since: Timestamp.describe('When the first of them entered the state'),
    locations: z.array(z.string()).describe('Where they fail or do not run'),
    total: count,
    checks: z.array(OverviewCheck).describe('The latest ones, at most 20'),
  })
  .meta({ id: 'Attention' })

export type Attention = z.output<typeof Attention>

export const Recent = z
  .object({
    at: Timestamp,
    kind: z.enum(['alert', 'incident', 'deployment', 'change']),
    text: z.string(),
    state: z.enum(verdicts).nullable().describe('Of an alert: what the check has become'),
    checkId: Uuid.nullable(),
    incidentId: Uuid.nullable(),
  })
  .meta({ id: 'Recent' })

export type Recent = z.output<typeof Recent>

export const getOverview = route({
  method: 'GET',
  path: '/v1/overview',
  tag,
  summary: 'Read what is wrong now, and what happened in the last 24 hours',
  access: 'READ_ONLY',
  status: 200,
  response: z.object({
    at: Timestamp,
    total: count.describe('The number of checks'),
    counts: StateCounts,
    muted: count,
    lastRunAt: Timestamp.nullable().describe('The latest run or ping of any check'),
    attention: z
      .array(Attention)
      .describe(
        'Failing, degraded and unknown checks that are not muted, the latest first; at most 100 entries and 100 checks. ' +
          'Checks with the same cause are one entry',
      ),
    coverage: z
      .object({
        expected: count.describe('Executed, skipped and missed together'),
        executed: count,
        skipped: count,
        missed: count,
        sentence: z.string().nullable().describe('What was missed and why; null: nothing'),
      })
      .describe('Scheduled runs of 24 full hours and since then'),
    recent: z.array(Recent).describe('Of the last 24 hours, the latest first, at most 50'),
  }),
})
