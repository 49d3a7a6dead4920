import { z } from 'zod'
import { DnsAssertion } from './assertions.ts'
import {
  type CheckDefinition,
  coreFields,
  networkRetryIssues,
  offsetField,
  offsetReadField,
  placementFields,
  readOf,
  responseTimes,
  retryFields,
  runtimeFields,
  sharedIssues,
  thresholdIssues,
} from './base.ts'
import { MonitorFrequency } from './frequency.ts'
import { Port } from './request-fields.ts'

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

export const DnsMonitor = z.object({ ...readOf(input), ...offsetReadField }).meta({ id: 'DnsMonitor' })

export const dnsMonitor = {
  type: 'DNS',
  path: 'dns',
  name: 'DnsMonitor',
  title: 'a DNS monitor',
  input,
  read: DnsMonitor,
  issues: (values) => [
    ...sharedIssues(values),
    ...networkRetryIssues(values),
    ...thresholdIssues(values, 'degradedResponseTime', 'maxResponseTime'),
  ],
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
