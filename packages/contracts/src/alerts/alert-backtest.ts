// What alert settings would have done: decisions based on stored results, compared with the alerts that were sent.
import { z } from 'zod'
import { CheckType } from '../checks/index.ts'
import { dayMs } from '../core/durations.ts'
import type { FieldIssue } from '../core/errors.ts'
import { addition, DateInput, instantOf, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { SessionTarget } from '../runs/session-target.ts'
import { AlertSettings } from './alert-settings.ts'
import { alertTypes } from './check-alerts.ts'

export const backtestLimits = {
  days: 90,
  checks: 200,
  results: 2_000_000,
  /** Limits of the lists, per check and in total. The figures count all events. */
  eventsPerCheck: 500,
  events: 20_000,
} as const

const count = z.int().min(0)
const ms = z.number().min(0).describe('Milliseconds')

const Figures = z.object({
  results: count.describe('Final results that count: those that say nothing about the target are excluded'),
  runs: count.describe('Results of one run in several locations count as one'),
  failingMinutes: z.number().describe('From each failing run to the run after it'),
  degradedMinutes: z.number(),
  episodes: count.describe('Periods in which no run passed: degraded or failing in at least one location'),
  missedEpisodes: count.describe('Episodes that ended without an alert'),
  falseAlarms: count.describe('Alerts after which the very next run passed'),
  alerts: z.object({
    failure: count,
    degraded: count,
    recovery: count,
    reminder: count,
    held: count.describe('State changes that would have been held back (NO_ALERT)'),
  }),
  detectionDelay: z
    .object({ min: ms, median: ms, max: ms })
    .nullable()
    .describe('From the scheduled instant of the first run of an episode to its first alert'),
  difference: z
    .object({
      same: count.describe('Alerts about the same run'),
      moved: count.describe('Alerts about the same episode, but earlier or later'),
      added: count.describe("Alerts that would have been sent and weren't"),
      removed: count.describe("Alerts that were sent and wouldn't have been"),
    })
    .describe("Compared with the alerts that were sent; reminders aren't compared"),
})

export type BacktestFigures = z.output<typeof Figures>

const AlertKind = z.enum(['failure', 'degraded', 'recovery'])
const HeldBy = z.enum(['threshold', 'parallel_threshold', 'untold', 'maintenance'])

const BacktestEvent = z.object({
  type: z.enum(alertTypes),
  kind: AlertKind.nullable().describe('Null: held back'),
  heldBy: HeldBy.nullable().describe(
    'Why no one would have been notified; "untold": the end of an episode without an alert',
  ),
  at: Timestamp.describe('When it would have been decided'),
  scheduledAt: Timestamp.describe('Of the run that it is about'),
  episodeAt: Timestamp.describe('When the episode began'),
  runLocation: z.string().describe('Empty for heartbeat monitors'),
  sentAt: Timestamp.nullable().describe('When the alert was really sent; null: it was not'),
})

const RemovedAlert = z.object({
  type: z.enum(alertTypes),
  kind: AlertKind,
  at: Timestamp.describe('When it was sent'),
  scheduledAt: Timestamp,
})

const resultsFrom = Timestamp.nullable().describe(
  'The earliest result in the period: earlier results are no longer kept, or never existed',
)

const CheckBacktest = z
  .object({
    checkId: Uuid,
    name: z.string(),
    checkType: CheckType,
    resultsFrom,
    ...Figures.shape,
    events: z
      .array(BacktestEvent)
      .describe('In order; alerts that would have been sent before those held back'),
    reminders: z.array(Timestamp),
    removed: z.array(RemovedAlert).describe("Alerts that were sent and wouldn't have been"),
    truncated: z.boolean().describe('Whether one of the lists is cut'),
  })
  .meta({ id: 'CheckBacktest' })

export const AlertBacktest = z
  .object({
    from: Timestamp,
    to: Timestamp,
    resultsFrom,
    matchingChecks: addition(
      count.describe('With usesAccountSettings, it can be more than those in `checks`'),
    ),
    totals: Figures.meta({ id: 'BacktestFigures' }),
    checks: z.array(CheckBacktest),
  })
  .meta({ id: 'AlertBacktest' })

const BacktestTarget = SessionTarget.extend({
  usesAccountSettings: addition(
    z
      .boolean()
      .default(false)
      .describe(
        'Only checks that use the alert settings of the account. If they are too many, those with the most changes of state ' +
          'in the period are chosen.',
      ),
  ),
}).meta({ id: 'AlertBacktestTarget' })

const isChosen = ({ checkId = [], matchTags = [], usesAccountSettings }: z.output<typeof BacktestTarget>) =>
  usesAccountSettings || checkId.length + matchTags.length > 0

const AlertBacktestInput = z
  .object({
    alertSettings: AlertSettings,
    target: BacktestTarget.refine(isChosen, 'must name checks by checkId, matchTags or usesAccountSettings'),
    from: DateInput.optional().describe('Inclusive; 7 days before `to` when absent'),
    to: DateInput.optional().describe('Exclusive; now when absent, and at most now'),
  })
  .meta({ id: 'AlertBacktestInput' })

const usualMs = 7 * dayMs

/** In milliseconds; it ends at the latest now. */
export function backtestPeriod(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: number,
): { from: number; to: number } {
  const end = Math.min(now, to === undefined ? now : instantOf(to).getTime())
  return { from: from === undefined ? Math.max(0, end - usualMs) : instantOf(from).getTime(), to: end }
}

export function backtestPeriodIssues({ from, to }: { from: number; to: number }): FieldIssue[] {
  if (from >= to) return [{ path: ['from'], message: 'must be before to, and before now' }]
  if (to - from > backtestLimits.days * dayMs)
    return [{ path: ['from'], message: `must be at most ${backtestLimits.days} days before to` }]
  return []
}

export const backtestAlertSettings = route({
  method: 'POST',
  path: '/v1/alert-settings/backtest',
  tag: 'Alert settings',
  summary: 'See what alert settings would have done',
  description:
    'Applies the given settings and the rules of alerting to the results that are kept: when people would have been notified, ' +
    'of what not, and how that differs from the alerts that were sent. Nothing is changed or sent. Deactivated checks and ' +
    'heartbeat monitors are included. Maintenance windows apply as they are now; whether a check is muted is ignored. ' +
    `At most ${backtestLimits.checks} checks, ${backtestLimits.days} days and ` +
    `${backtestLimits.results.toLocaleString('en')} results at once.`,
  access: 'READ_ONLY',
  changesNothing: true,
  body: AlertBacktestInput,
  status: 200,
  response: AlertBacktest,
  rateLimit: { limit: 30, seconds: 60 },
  example: {
    alertSettings: {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: 3 },
      reminders: { amount: 2, interval: 10 },
    },
    target: { matchTags: [['production', '!flaky']] },
  },
})
