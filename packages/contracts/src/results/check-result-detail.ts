// The evidence of a run, per check type. It's shown as agents reported it, so the shapes allow additional fields.
import { z } from 'zod'
import { addition } from '../core/fields.ts'
import { RunIsolation } from './code-result-detail.ts'

export const AssertionOutcome = z
  .looseObject({
    source: z.string(),
    comparison: z.string(),
    property: z.string().optional(),
    target: z.string().optional(),
    regex: z.string().nullish(),
    order: z.int().optional(),
    error: z.string().optional().describe('Only if it failed'),
    actual: z.unknown().optional(),
  })
  .meta({ id: 'AssertionOutcome' })

export const LogLine = z
  .object({ time: z.number().describe('Milliseconds since 1970'), msg: z.string(), level: z.string() })
  .meta({ id: 'LogLine' })

export const JobLog = z
  .object({ setup: z.array(LogLine), request: z.array(LogLine), teardown: z.array(LogLine) })
  .meta({ id: 'JobLog' })

const Values = z.record(z.string(), z.unknown())
const Milliseconds = z.record(z.string(), z.number().nullable())

export const HttpRequestShown = z.looseObject({
  method: z.string(),
  url: z.string(),
  data: z.string(),
  headers: Values,
  params: Values,
})

export const HttpResponseShown = z.looseObject({
  status: z.number(),
  statusText: z.string(),
  body: z.string().describe('At most 256 kB of it'),
  bodyEncoding: z.literal('base64').optional(),
  truncated: z.boolean().optional(),
  href: z.string().optional(),
  headers: Values,
  timings: Milliseconds.optional().describe('Since the start: socket, lookup, connect, response, end'),
  timingPhases: Milliseconds.optional().describe('wait, dns, tcp, firstByte, download, total'),
})

const pcapDataUrl = z
  .string()
  .nullable()
  .describe('The packets of a network failure, if the agent may capture them: a data URL of a pcap file')

/** API checks and URL monitors. */
export const ApiCheckResult = z
  .object({
    assertions: z.array(AssertionOutcome),
    request: HttpRequestShown.optional(),
    response: HttpResponseShown.optional().describe('Absent if there was none'),
    requestError: z.string().nullable(),
    jobLog: JobLog.nullable(),
    jobAssets: z.array(z.string()).nullable(),
    pcapDataUrl,
    isolation: addition(RunIsolation.optional()).describe(
      'Of setup and teardown scripts; absent without them',
    ),
    ip: addition(z.string().nullable().describe('The address that responded')),
    tls: addition(Values.nullable().describe('Protocol, cipher and certificate')),
    tried: addition(z.array(Values).describe('Every address tried for the last connection, and the outcome')),
    redirects: addition(z.array(Values)),
    breakdown: addition(
      Milliseconds.nullable().describe(
        'Finer than timingPhases: dns, connect, tls, send, wait, receive; agentWait: how long the run waited for resources of its agent, which no other duration includes',
      ),
    ),
  })
  .meta({ id: 'ApiCheckResult' })

/** Network monitors: `request` and `response` depend on the type. */
export const NetworkCheckResult = z
  .looseObject({
    request: Values.nullable(),
    response: Values.nullable(),
    assertions: z.array(AssertionOutcome),
    requestError: z.string().nullable(),
    timingPhases: Milliseconds.nullable(),
    pcapDataUrl,
  })
  .meta({ id: 'NetworkCheckResult' })
