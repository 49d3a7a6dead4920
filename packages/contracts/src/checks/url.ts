import { z } from 'zod'
import { assertion, numericComparisons, statusCodeSource } from './assertions.ts'
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
import { type CheckDefinition, networkRunLimitMs } from './definition.ts'
import { MonitorFrequency } from './frequency.ts'
import { httpMetrics, httpResult } from './http-checks.ts'
import { IpFamily, RequestUrl } from './request-fields.ts'

const sources = { STATUS_CODE: statusCodeSource } as const

export const UrlAssertion = assertion('UrlAssertion', numericComparisons, sources)

const UrlRequest = z
  .object({
    method: z.literal('GET').default('GET'),
    url: RequestUrl,
    followRedirects: z.boolean().default(true),
    skipSSL: z.boolean().default(false),
    ipFamily: IpFamily.default('IPv4'),
    assertions: z.array(UrlAssertion).max(200).default([]),
  })
  .meta({ id: 'UrlRequest' })

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('URL').default('URL'),
  frequency: MonitorFrequency.default(10).describe('Minutes; 0 runs every frequencyOffset seconds'),
  ...offsetField,
  request: UrlRequest,
  ...responseTimes({ degraded: 3000, max: 5000, limit: 30_000 }),
})

const UrlMonitor = z.object({ ...readOf(input), ...offsetReadField }).meta({ id: 'UrlMonitor' })

export const urlMonitor = {
  type: 'URL',
  path: 'url',
  name: 'UrlMonitor',
  title: 'a URL monitor',
  input,
  read: UrlMonitor,
  issues: (values) => [...sharedIssues(values)],
  capacity: 'network',
  runLimitMs: networkRunLimitMs,
  retries: 'http',
  entitlement: { meter: 'UPTIME_MONITORS' },
  sources,
  metrics: httpMetrics,
  responseTimeMetric: 'responseTime',
  summary: { responseTime: 'responseTime' },
  analytics: { path: 'url-monitors', groupBy: ['runLocation', 'statusCode'] },
  result: httpResult,
  timingMetric: 'vedette_url_monitor_timing_seconds',
  example: {
    name: 'Home page',
    locations: ['eu-west-1'],
    frequency: 0,
    frequencyOffset: 30,
    request: {
      url: 'https://example.com/',
      assertions: [{ source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '400' }],
    },
  },
} satisfies CheckDefinition
