import { z } from 'zod'
import { addition } from '../core/fields.ts'
import { isRecord } from '../core/objects.ts'
import { NetworkCheckResult } from '../results/check-result-detail.ts'
import { assertion, numericComparisons, responseTimeSource } from './assertions.ts'
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
  RESPONSE_DATA: { kind: 'text', name: 'the response data', absent: "The target didn't send any data." },
  RESPONSE_TIME: responseTimeSource,
} as const

export const TcpAssertion = assertion(
  'TcpAssertion',
  [...numericComparisons, 'IS_EMPTY', 'NOT_EMPTY', 'CONTAINS', 'NOT_CONTAINS'],
  sources,
)

const TcpRequest = z
  .object({
    hostname: Hostname.describe('`url` is accepted as another name'),
    port: Port,
    data: z
      .string()
      .max(100_000)
      .nullable()
      .default(null)
      .describe('Sent after connecting; `body` is accepted as another name'),
    ipFamily: IpFamily.default('IPv4'),
    assertions: z.array(TcpAssertion).max(200).default([]),
  })
  .meta({ id: 'TcpRequest' })

/** Newer clients call the host `url` and the data `body`. */
function withOwnNames(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { url, body, ...request } = value
  return { ...request, hostname: request.hostname ?? url, data: request.data ?? body }
}

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('TCP').default('TCP'),
  frequency: MonitorFrequency.default(10).describe('Minutes; 0 runs every frequencyOffset seconds'),
  ...offsetField,
  request: z.preprocess(withOwnNames, TcpRequest),
  ...responseTimes({ degraded: 3000, max: 5000, limit: 5000 }),
})

const TcpMonitor = z
  .object({ ...readOf(input), ...offsetReadField, request: TcpRequest })
  .meta({ id: 'TcpMonitor' })

export const tcpMonitor = {
  type: 'TCP',
  path: 'tcp',
  name: 'TcpMonitor',
  title: 'a TCP monitor',
  input,
  read: TcpMonitor,
  issues: (values) => [...sharedIssues(values)],
  capacity: 'network',
  runLimitMs: networkRunLimitMs,
  retries: 'any',
  entitlement: { meter: 'UPTIME_MONITORS' },
  sources,
  metrics: {
    total: milliseconds(0, 'Total'),
    dns: milliseconds(1, 'DNS'),
    connection: milliseconds(2, 'Connection'),
    data: milliseconds(3, 'Data'),
  },
  responseTimeMetric: 'total',
  summary: { responseTime: 'total' },
  analytics: { path: 'tcp-checks', groupBy: ['runLocation'] },
  result: { kind: 'network', field: 'tcpCheckResult', schema: addition(NetworkCheckResult.nullable()) },
  timingMetric: 'vedette_tcp_monitor_timing_seconds',
  example: {
    name: 'Mail server',
    locations: ['eu-central-1'],
    frequency: 1,
    request: {
      hostname: 'mail.example.com',
      port: 25,
      assertions: [{ source: 'RESPONSE_DATA', comparison: 'CONTAINS', target: '220' }],
    },
  },
} satisfies CheckDefinition
