import { z } from 'zod'
import { IcmpAssertion } from './assertions.ts'
import {
  type CheckDefinition,
  coreFields,
  networkRetryIssues,
  offsetField,
  offsetReadField,
  placementFields,
  readOf,
  retryFields,
  runtimeFields,
  sharedIssues,
  thresholdIssues,
} from './base.ts'
import { MonitorFrequency } from './frequency.ts'
import { Hostname, IpFamily } from './request-fields.ts'

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

export const IcmpMonitor = z.object({ ...readOf(input), ...offsetReadField }).meta({ id: 'IcmpMonitor' })

export const icmpMonitor = {
  type: 'ICMP',
  path: 'icmp',
  name: 'IcmpMonitor',
  title: 'an ICMP monitor',
  input,
  read: IcmpMonitor,
  issues: (values) => [
    ...sharedIssues(values),
    ...networkRetryIssues(values),
    ...thresholdIssues(values, 'degradedPacketLossThreshold', 'maxPacketLossThreshold'),
  ],
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
