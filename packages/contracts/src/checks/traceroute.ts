import { z } from 'zod'
import { addition } from '../core/fields.ts'
import { NetworkCheckResult } from '../results/check-result-detail.ts'
import { assertion, latencyProperties, numericComparisons, responseTimeSource } from './assertions.ts'
import {
  coreFields,
  offsetField,
  offsetReadField,
  placementFields,
  readOf,
  responseTimes,
  retryFields,
  runtimeFields,
  sharedIssues,
} from './base.ts'
import { type CheckDefinition, milliseconds, networkRunLimitMs } from './definition.ts'
import { MonitorFrequency } from './frequency.ts'
import { Hostname, IpFamily, Port } from './request-fields.ts'

const sources = {
  RESPONSE_TIME: responseTimeSource,
  HOP_COUNT: {
    kind: 'number',
    name: 'the number of hops',
    absent: "There was no trace, so the hops weren't counted.",
  },
  PACKET_LOSS: {
    kind: 'number',
    name: 'the packet loss in percent',
    absent: "There was no trace, so the packet loss wasn't measured.",
  },
} as const

// Several packets are measured, so the response time has the properties of a latency.
const TracerouteAssertion = assertion('TracerouteAssertion', numericComparisons, {
  ...sources,
  RESPONSE_TIME: { ...responseTimeSource, kind: 'latency' },
})

const TracerouteRequest = z
  .object({
    url: Hostname.describe('The host to trace, without scheme and port'),
    protocol: z.enum(['TCP', 'UDP', 'ICMP']).default('TCP'),
    port: Port.nullable().default(443).describe('Not used by ICMP'),
    ipFamily: IpFamily.default('IPv4'),
    maxHops: z.int().min(1).max(64).default(30),
    maxUnknownHops: z
      .int()
      .min(1)
      .max(30)
      .default(15)
      .describe('The trace ends after this many hops in a row without a reply'),
    ptrLookup: z.boolean().default(true).describe('Whether to look up the host names of hops'),
    timeout: z.int().min(1).max(30).default(10).describe('Seconds for the whole trace'),
    assertions: z.array(TracerouteAssertion).max(200).default([]),
  })
  .meta({ id: 'TracerouteRequest' })

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('TRACEROUTE').default('TRACEROUTE'),
  frequency: MonitorFrequency.default(10).describe('Minutes; 0 runs every frequencyOffset seconds'),
  ...offsetField,
  request: TracerouteRequest,
  ...responseTimes({ degraded: 10_000, max: 20_000, limit: 30_000 }),
})

const TracerouteMonitor = z.object({ ...readOf(input), ...offsetReadField }).meta({ id: 'TracerouteMonitor' })

const TracerouteCheckResult = NetworkCheckResult.extend({
  totalHops: z.number().nullable(),
  destinationReached: z.boolean().nullable(),
  finalHopLatency: z
    .record(z.string(), z.number())
    .nullable()
    .describe('Milliseconds: avg, best, worst, stdDev; null if the destination was not reached'),
}).meta({ id: 'TracerouteCheckResult' })

export const tracerouteMonitor = {
  type: 'TRACEROUTE',
  path: 'traceroute',
  name: 'TracerouteMonitor',
  title: 'a traceroute monitor',
  input,
  read: TracerouteMonitor,
  issues: (values) => [...sharedIssues(values)],
  capacity: 'network',
  runLimitMs: networkRunLimitMs,
  retries: 'any',
  entitlement: { meter: 'UPTIME_MONITORS' },
  sources,
  sourceProperties: { RESPONSE_TIME: latencyProperties },
  metrics: {
    responseTime: milliseconds(0, 'Average latency of the destination'),
    hopCount: { index: 1, unit: 'count', label: 'Hops' },
    packetLoss: { index: 2, unit: 'percentage', label: 'Packet loss' },
    latencyMin: milliseconds(3, 'Least latency of the destination'),
    latencyMax: milliseconds(4, 'Greatest latency of the destination'),
    latencyStdDev: milliseconds(5, 'Standard deviation of latency'),
    unknownHops: { index: 6, unit: 'count', label: 'Hops without a reply' },
  },
  responseTimeMetric: 'responseTime',
  summary: { responseTime: 'responseTime', packetLoss: 'packetLoss' },
  analytics: { path: 'traceroute', groupBy: ['runLocation'] },
  result: {
    kind: 'network',
    field: 'tracerouteCheckResult',
    schema: addition(TracerouteCheckResult.nullable()),
  },
  timingMetric: 'vedette_traceroute_monitor_timing_seconds',
  example: {
    name: 'Path to the shop',
    locations: ['eu-west-1'],
    frequency: 5,
    request: {
      url: 'shop.example.com',
      protocol: 'TCP',
      port: 443,
      assertions: [
        { source: 'HOP_COUNT', comparison: 'LESS_THAN', target: '20' },
        { source: 'RESPONSE_TIME', property: 'avg', comparison: 'LESS_THAN', target: '200' },
      ],
    },
  },
} satisfies CheckDefinition
