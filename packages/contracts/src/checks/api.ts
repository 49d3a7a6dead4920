import { z } from 'zod'
import { addition, BasicAuth, KeyValue, SerialId } from '../core/fields.ts'
import {
  coreFields,
  hookFileFields,
  hookFileReadFields,
  offsetField,
  offsetReadField,
  placementFields,
  readOf,
  responseTimes,
  retryFields,
  runtimeFields,
  sharedIssues,
} from './base.ts'
import { CheckVariables, CheckVariablesRead } from './check-variables.ts'
import { type CheckDefinition, networkRunLimitMs } from './definition.ts'
import { MonitorFrequency } from './frequency.ts'
import { ApiAssertion, apiSources, httpMetrics, httpResult } from './http-checks.ts'
import { IpFamily, RequestUrl } from './request-fields.ts'

const ApiRequest = z
  .object({
    method: z.enum(['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH']),
    url: RequestUrl,
    followRedirects: z.boolean().default(true),
    skipSSL: z.boolean().default(false),
    ipFamily: IpFamily.default('IPv4'),
    body: z.string().max(1_000_000).default(''),
    bodyType: z.enum(['JSON', 'FORM', 'RAW', 'GRAPHQL', 'NONE']).default('NONE'),
    headers: z.array(KeyValue).max(200).default([]),
    queryParameters: z.array(KeyValue).max(200).default([]),
    assertions: z.array(ApiAssertion).max(200).default([]),
    basicAuth: BasicAuth.nullable().default(null),
  })
  .meta({ id: 'ApiRequest' })

const script = z.string().max(1_000_000).nullable().default(null)

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('API').default('API'),
  frequency: MonitorFrequency.default(10).describe('Minutes; 0 runs every frequencyOffset seconds'),
  ...offsetField,
  request: ApiRequest,
  ...responseTimes({ degraded: 5000, max: 20_000, limit: 30_000 }),
  setupSnippetId: SerialId.nullable().default(null),
  tearDownSnippetId: SerialId.nullable().default(null),
  localSetupScript: script,
  localTearDownScript: script,
  ...hookFileFields,
  environmentVariables: addition(CheckVariables.nullable().default([])),
})

const ApiCheck = z
  .object({
    ...readOf(input),
    ...offsetReadField,
    ...hookFileReadFields,
    // A check may be older than the setting.
    environmentVariables: addition(CheckVariablesRead.nullable().optional()),
  })
  .meta({ id: 'ApiCheck' })

export const apiCheck = {
  type: 'API',
  path: 'api',
  name: 'ApiCheck',
  title: 'an API check',
  input,
  read: ApiCheck,
  issues: (values) => [...sharedIssues(values)],
  capacity: 'network',
  runLimitMs: networkRunLimitMs,
  usesClientCertificates: true,
  retries: 'http',
  entitlement: { meter: 'API_CHECKS' },
  sources: apiSources,
  metrics: httpMetrics,
  responseTimeMetric: 'responseTime',
  summary: { responseTime: 'responseTime' },
  analytics: { path: 'api-checks', groupBy: ['runLocation', 'statusCode'] },
  result: httpResult,
  timingMetric: 'vedette_api_check_timing_seconds',
  example: {
    name: 'Orders API',
    locations: ['eu-central-1', 'us-east-1'],
    tags: ['production'],
    frequency: 5,
    request: {
      method: 'GET',
      url: 'https://example.com/orders/{{ORDER_ID}}',
      headers: [{ key: 'accept', value: 'application/json' }],
      assertions: [
        { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
        { source: 'JSON_BODY', property: '$.items.length', comparison: 'GREATER_THAN', target: '0' },
      ],
    },
    retryStrategy: { type: 'LINEAR', baseBackoffSeconds: 10, onlyOn: ['NETWORK_ERROR'] },
  },
} satisfies CheckDefinition
