// Who runs checks in a location, how punctually, and what waits.
import { z } from 'zod'
import { LocationAlarm } from '../alerts/location-alarms.ts'
import { CheckType } from '../checks/index.ts'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

const count = z.int().min(0)
const ms = z.number().min(0).describe('Milliseconds')
const Slots = z.object({ network: count, code: count })

export const LocationAgent = z
  .object({
    id: Uuid.describe('Of the agent process'),
    name: z.string().nullable().describe('Its host name, or the AGENT_NAME it was given'),
    kind: z
      .enum(['built-in', 'operator', 'private'])
      .describe('Part of the server, of the operator, or of the private location'),
    state: z
      .enum(['running', 'draining', 'gone'])
      .describe('draining: it finishes its runs and ends; gone: not seen for 30 seconds'),
    version: z.string(),
    isOutdated: z.boolean(),
    startedAt: Timestamp,
    lastSeenAt: Timestamp,
    checkTypes: z.array(CheckType).describe('What it can run'),
    slots: Slots.nullable().describe('How many runs it makes at once; null: it does not report that'),
    running: Slots.nullable().describe('How many it makes now'),
    isolation: z
      .enum(['strong', 'same-user', 'fallback'])
      .nullable()
      .describe(
        'Of user code: strong is safe for hostile code; same-user: isolated, as the user of the agent; fallback: limits only; null: the agent runs none, or does not report it',
      ),
    network: z
      .enum(['private', 'public'])
      .nullable()
      .describe('public: targets in private networks are refused'),
  })
  .meta({ id: 'LocationAgent' })

export type LocationAgent = z.output<typeof LocationAgent>

export const LocationStatus = z
  .object({
    location: z.string().describe('A data-center location, or the slug of a private one'),
    name: z.string(),
    privateLocationId: Uuid.nullable(),
    agents: z
      .array(LocationAgent)
      .describe('Those that serve it; of private locations also those of the last 24 hours'),
    checkCount: count.describe('Active checks that run there'),
    waiting: z.object({
      runs: count.describe('Runs of this account that are due and not claimed'),
      oldestMs: ms.describe('How long the oldest of them waits, in milliseconds'),
    }),
    lag: z
      .object({ runs: count, p50: ms, p95: ms, max: ms })
      .nullable()
      .describe('From the scheduled instant to the start, of the runs of the last 15 minutes; null: none'),
    alarm: LocationAlarm.nullable().describe('The open one'),
  })
  .meta({ id: 'LocationStatus' })

export type LocationStatus = z.output<typeof LocationStatus>

export const LocationStatusDetail = LocationStatus.extend({
  waitingRuns: z
    .array(
      z.object({
        checkId: Uuid.nullable().describe('Null: a draft'),
        name: z.string(),
        checkType: CheckType.nullable(),
        dueAt: Timestamp,
      }),
    )
    .describe('Those that wait longest, at most 20'),
  hours: z
    .array(z.object({ hour: Timestamp, executed: count, skipped: count, missed: count }))
    .describe('Scheduled runs of the last 24 full hours and since then; hours without any are absent'),
  alarms: z.array(LocationAlarm).describe('The latest, at most 20'),
}).meta({ id: 'LocationStatusDetail' })

const tag = 'Locations'

export const listLocationStatuses = route({
  method: 'GET',
  path: '/v1/location-statuses',
  tag,
  summary: 'List all locations with their agents, start lag and what waits',
  access: 'READ_ONLY',
  status: 200,
  response: z.array(LocationStatus),
})

export const getLocationStatus = route({
  method: 'GET',
  path: '/v1/location-statuses/{location}',
  tag,
  summary: 'Read the agents of a location, its start lag, its alarms and what waits',
  access: 'READ_ONLY',
  params: z.object({ location: z.string().min(1).max(200) }),
  status: 200,
  response: LocationStatusDetail,
})
