import { z } from 'zod'
import { addition } from '../core/fields.ts'
import { NetworkCheckResult } from '../results/check-result-detail.ts'
import { assertion, comparisons, responseTimeSource } from './assertions.ts'
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
import { Port } from './request-fields.ts'

const sources = {
  RESPONSE_TIME: responseTimeSource,
  RESPONSE_CODE: {
    kind: 'text',
    name: 'the response code',
    absent: 'There was no DNS response, so there is no response code.',
  },
  TEXT_ANSWER: { kind: 'text', name: 'the DNS response', absent: 'There was no DNS response.' },
  JSON_ANSWER: { kind: 'json', name: 'the DNS response', absent: 'There was no DNS response.' },
} as const

export const DnsAssertion = assertion('DnsAssertion', comparisons, sources)

const DnsRequest = z
  .object({
    query: z.string().min(1).max(100),
    recordType: z.enum(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'SOA', 'NS', 'HTTPS']),
    nameServer: z.string().max(100).optional().describe('Without one, public resolvers are asked in turn'),
    port: Port.optional(),
    protocol: z.enum(['UDP', 'TCP']).default('UDP'),
    assertions: z.array(DnsAssertion).max(200).default([]),
  })
  .meta({ id: 'DnsRequest' })

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('DNS').default('DNS'),
  frequency: MonitorFrequency.default(10).describe('Minutes; 0 runs every frequencyOffset seconds'),
  ...offsetField,
  request: DnsRequest,
  ...responseTimes({ degraded: 500, max: 1000, limit: 5000 }),
})

const DnsMonitor = z.object({ ...readOf(input), ...offsetReadField }).meta({ id: 'DnsMonitor' })

export const dnsMonitor = {
  type: 'DNS',
  path: 'dns',
  name: 'DnsMonitor',
  title: 'a DNS monitor',
  input,
  read: DnsMonitor,
  issues: (values) => [...sharedIssues(values)],
  capacity: 'network',
  runLimitMs: networkRunLimitMs,
  retries: 'any',
  entitlement: { meter: 'UPTIME_MONITORS' },
  sources,
  metrics: { total: milliseconds(0, 'Total') },
  responseTimeMetric: 'total',
  summary: { responseTime: 'total' },
  analytics: { path: 'dns', groupBy: ['runLocation'] },
  result: { kind: 'network', field: 'dnsCheckResult', schema: addition(NetworkCheckResult.nullable()) },
  timingMetric: 'vedette_dns_monitor_timing_seconds',
  example: {
    name: 'Mail exchange',
    locations: ['us-east-2'],
    request: {
      query: 'example.com',
      recordType: 'MX',
      assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' }],
    },
  },
} satisfies CheckDefinition
