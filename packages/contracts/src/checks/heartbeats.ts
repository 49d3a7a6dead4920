// Pings of heartbeat monitors: the URL that jobs call, and the events that follow from the calls.
import { z } from 'zod'
import { DateInput, instantOf, Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'

export const heartbeatStates = ['FAILING', 'EARLY', 'RECEIVED', 'GRACE', 'LATE'] as const

export type HeartbeatState = (typeof heartbeatStates)[number]

/** Per monitor: more than any job needs, and a runaway loop can't fill the database. */
export const pingLimit = { limit: 120, seconds: 60 }

export const HeartbeatEvent = z
  .object({
    id: Uuid,
    state: z
      .enum(heartbeatStates)
      .describe(
        'EARLY: before it was due. RECEIVED: when it was due, or the first ping. GRACE: within the grace time. ' +
          'LATE: after that, or the first ping of a monitor that fails. FAILING: no ping came in time.',
      ),
    timestamp: Timestamp,
    source: z.string().nullable().describe('The page that pinged, or how it was pinged; null for FAILING'),
    userAgent: z.string().nullable(),
  })
  .meta({ id: 'HeartbeatEvent' })

const ratio = z
  .number()
  .optional()
  .describe('Percent of the events that were pings; absent if there was no event')

export const HeartbeatAvailability = z
  .object({
    successRatio: z.object({ previousPeriod: ratio, currentPeriod: ratio }),
    totalEntitiesCurrentPeriod: z.int().describe('Events in the period'),
  })
  .meta({ id: 'HeartbeatAvailability' })

const HeartbeatStats = z
  .object({ last24Hours: HeartbeatAvailability, last7Days: HeartbeatAvailability })
  .meta({ id: 'HeartbeatStats' })

const PingResponse = z
  .object({
    accepted: z.boolean().describe("False: the monitor isn't active, and the ping is ignored"),
    message: z.string(),
  })
  .meta({ id: 'PingAnswer' })

const unixPattern = /^\d{1,13}$/

/** ISO 8601, or UNIX time in seconds or (from 12 digits on) milliseconds. */
const InstantInput = z.union([z.string().regex(unixPattern), DateInput], {
  error: 'must be an ISO 8601 date or a UNIX time',
})

/** Milliseconds. */
export function instantMsOf(text: string): number {
  if (!unixPattern.test(text)) return instantOf(text).getTime()
  return Number(text) * (text.length >= 12 ? 1 : 1000)
}

const tag = 'Heartbeats'
const params = z.object({ checkId: Uuid })

const ping = {
  path: '/ping/{token}',
  tag,
  access: 'public',
  params: z.object({ token: z.string().max(100) }),
  status: 200,
  response: PingResponse,
  // Pages in browsers may ping too.
  headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-store' },
  isLimitedByHandler: true,
} as const

export const pingHeartbeat = route({
  ...ping,
  method: 'GET',
  summary: 'Ping a heartbeat monitor',
  description: 'HEAD does the same.',
})

export const postHeartbeatPing = route({
  ...ping,
  method: 'POST',
  summary: 'Ping a heartbeat monitor with a body, which is ignored',
  ignoresBody: true,
})

export const getHeartbeatAvailability = route({
  method: 'GET',
  path: '/v1/checks/heartbeats/{checkId}/availability',
  tag,
  summary: 'Read the availability of a heartbeat monitor',
  description: 'The previous period is as long as the current one, and ends where that begins.',
  access: 'READ_ONLY',
  params,
  query: z.object({
    startTime: InstantInput.optional().describe('24 hours before endTime when absent'),
    endTime: InstantInput.optional().describe('Now when absent'),
  }),
  status: 200,
  response: HeartbeatAvailability,
})

export const listHeartbeatEvents = route({
  method: 'GET',
  path: '/v1/checks/heartbeats/{checkId}/events',
  tag,
  summary: 'List the events of a heartbeat monitor, the latest first',
  access: 'READ_ONLY',
  params,
  query: z.object({
    limit: z.int().min(1).max(10).default(10).describe('Events at most'),
    startTime: InstantInput.optional(),
    endTime: InstantInput.optional(),
  }),
  status: 200,
  response: z.array(z.object({ events: z.array(HeartbeatEvent), stats: HeartbeatStats })).length(1),
})

export const getHeartbeatEvent = route({
  method: 'GET',
  path: '/v1/checks/heartbeats/{checkId}/events/{id}',
  tag,
  summary: 'Read an event of a heartbeat monitor',
  access: 'READ_ONLY',
  params: params.extend({ id: Uuid }),
  status: 200,
  response: z.object({ event: HeartbeatEvent, stats: HeartbeatStats }),
})
