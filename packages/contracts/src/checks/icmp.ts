import { z } from 'zod'
import { addition } from '../core/fields.ts'
import { NetworkCheckResult } from '../results/check-result-detail.ts'
import { assertion, latencyProperties, numericComparisons } from './assertions.ts'
import {
  coreFields,
  offsetField,
  offsetReadField,
  placementFields,
  readOf,
  retryFields,
  runtimeFields,
  sharedIssues,
} from './base.ts'
import { type CheckDefinition, milliseconds, networkRunLimitMs } from './definition.ts'
import { MonitorFrequency } from './frequency.ts'
import { Hostname, IpFamily } from './request-fields.ts'

const sources = {
  LATENCY: {
    kind: 'latency',
    name: 'the latency',
    absent: "There was no reply, so the latency wasn't measured.",
    unit: 'ms',
  },
  JSON_RESPONSE: { kind: 'json', name: 'the response', absent: 'There was no response.' },
} as const

export const IcmpAssertion = assertion(
  'IcmpAssertion',
  [...numericComparisons, 'IS_EMPTY', 'NOT_EMPTY', 'CONTAINS', 'NOT_CONTAINS', 'IS_NULL', 'NOT_NULL'],
  sources,
)

const IcmpRequest = z
  .object({
    hostname: Hostname,
    ipFamily: IpFamily.nullable().default('IPv4'),
    pingCount: z.int().min(1).max(50).nullable().default(10),
    assertions: z.array(IcmpAssertion).max(200).default([]),
  })
  .meta({ id: 'IcmpRequest' })

const PacketLoss = z.number().gt(0).max(100).nullable().describe('Percent')

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('ICMP').default('ICMP'),
  frequency: MonitorFrequency.default(10).describe('Minutes; 0 runs every frequencyOffset seconds'),
  ...offsetField,
  request: IcmpRequest,
  degradedPacketLossThreshold: PacketLoss.default(10),
  maxPacketLossThreshold: PacketLoss.default(20),
})

const IcmpMonitor = z.object({ ...readOf(input), ...offsetReadField }).meta({ id: 'IcmpMonitor' })

export const icmpMonitor = {
  type: 'ICMP',
  path: 'icmp',
  name: 'IcmpMonitor',
  title: 'an ICMP monitor',
  input,
  read: IcmpMonitor,
  issues: (values) => [...sharedIssues(values)],
  capacity: 'network',
  runLimitMs: networkRunLimitMs,
  retries: 'any',
  entitlement: { meter: 'UPTIME_MONITORS' },
  sources,
  sourceProperties: { LATENCY: latencyProperties },
  metrics: {
    packetLoss: { index: 0, unit: 'percentage', label: 'Packet loss' },
    latencyMin: milliseconds(1, 'Least latency'),
    latencyMax: milliseconds(2, 'Greatest latency'),
    latencyAvg: milliseconds(3, 'Average latency'),
    latencyStdDev: milliseconds(4, 'Standard deviation of latency'),
  },
  responseTimeMetric: null,
  summary: { latency: 'latencyAvg', packetLoss: 'packetLoss' },
  analytics: { path: 'icmp', groupBy: ['runLocation'] },
  result: { kind: 'network', field: 'icmpCheckResult', schema: addition(NetworkCheckResult.nullable()) },
  timingMetric: 'vedette_icmp_monitor_timing_seconds',
  example: {
    name: 'Gateway',
    locations: ['ap-south-1'],
    frequency: 2,
    request: {
      hostname: 'gateway.example.com',
      pingCount: 5,
      assertions: [{ source: 'LATENCY', property: 'avg', comparison: 'LESS_THAN', target: '80' }],
    },
  },
} satisfies CheckDefinition
