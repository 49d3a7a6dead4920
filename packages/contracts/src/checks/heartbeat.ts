import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { Uuid } from '../core/fields.ts'
import { isRecord, keysOf } from '../core/objects.ts'
import { coreFields, placementFields, readOf, sharedIssues } from './base.ts'
import type { CheckDefinition, CheckValues } from './definition.ts'

const secondsIn = { seconds: 1, minutes: 60, hours: 3600, days: 86_400 } as const

const Unit = z.enum(keysOf(secondsIn))

const year = 365 * secondsIn.days

const Heartbeat = z
  .object({
    period: z.number().min(0).max(year).describe('Expected time between pings, 30 seconds to 365 days'),
    periodUnit: Unit,
    grace: z.number().min(0).max(year).describe('How late a ping may be, up to 365 days'),
    graceUnit: Unit,
    pingToken: z
      .union([Uuid.toLowerCase(), z.literal('')])
      .nullish()
      .describe('Generated when absent or empty; an update without it keeps it'),
  })
  .meta({ id: 'Heartbeat' })

const secretNote = 'Absent for keys with the role READ_ONLY: anyone who has it can ping'

const HeartbeatRead = Heartbeat.extend({
  pingToken: Uuid.optional().describe(secretNote),
  pingUrl: z.string().optional().describe(secretNote),
}).meta({ id: 'HeartbeatWithUrl' })

const input = z.object({
  ...coreFields,
  ...placementFields,
  checkType: z.literal('HEARTBEAT').default('HEARTBEAT'),
  heartbeat: Heartbeat,
})

const HeartbeatMonitor = z
  .object({ ...readOf(input), heartbeat: HeartbeatRead })
  .meta({ id: 'HeartbeatMonitor' })

export const heartbeatMonitor = {
  type: 'HEARTBEAT',
  path: 'heartbeat',
  name: 'HeartbeatMonitor',
  title: 'a heartbeat monitor',
  input,
  read: HeartbeatMonitor,
  issues: (values) => [...sharedIssues(values), ...heartbeatIssues(values)],
  // Another monitor may have the ping token.
  errors: [409],
  capacity: null,
  runLimitMs: 0,
  retries: 'none',
  entitlement: { meter: 'HEARTBEAT_MONITORS' },
  sources: {},
  metrics: {},
  responseTimeMetric: null,
  summary: {},
  // Its report has a separate route: results/analytics.ts.
  analytics: null,
  result: null,
  timingMetric: null,
  example: {
    name: 'Nightly backup',
    heartbeat: { period: 1, periodUnit: 'days', grace: 30, graceUnit: 'minutes' },
  },
} satisfies CheckDefinition

function heartbeatIssues({ heartbeat }: CheckValues): FieldIssue[] {
  if (!isRecord(heartbeat)) return []
  const { period, periodUnit, grace, graceUnit } = heartbeat
  const issues: FieldIssue[] = []
  const periodSeconds = seconds(period, periodUnit)
  if (periodSeconds !== null && (periodSeconds < 30 || periodSeconds > year)) {
    issues.push({ path: ['heartbeat', 'period'], message: 'must be between 30 seconds and 365 days' })
  }
  const graceSeconds = seconds(grace, graceUnit)
  if (graceSeconds !== null && graceSeconds > year) {
    issues.push({ path: ['heartbeat', 'grace'], message: 'must be at most 365 days' })
  }
  return issues
}

/** What a monitor waits for, in milliseconds. */
export function heartbeatTimes({
  period,
  periodUnit,
  grace,
  graceUnit,
}: Pick<z.output<typeof Heartbeat>, 'period' | 'periodUnit' | 'grace' | 'graceUnit'>): {
  periodMs: number
  graceMs: number
} {
  return {
    periodMs: Math.round(period * secondsIn[periodUnit] * 1000),
    graceMs: Math.round(grace * secondsIn[graceUnit] * 1000),
  }
}

function seconds(amount: unknown, unit: unknown): number | null {
  const parsed = Unit.safeParse(unit)
  return typeof amount === 'number' && parsed.success ? amount * secondsIn[parsed.data] : null
}
