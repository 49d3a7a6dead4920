import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { addition } from '../core/fields.ts'
import { isRecord } from '../core/objects.ts'
import { NetworkCheckResult } from '../results/check-result-detail.ts'
import { assertion, comparisons, responseTimeSource, textBodySource } from './assertions.ts'
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
import { type CheckDefinition, type CheckValues, milliseconds } from './definition.ts'
import { MonitorFrequency } from './frequency.ts'
import { Hostname, IpFamily, Port } from './request-fields.ts'

const sources = {
  RESPONSE_TIME: responseTimeSource,
  GRPC_STATUS_CODE: {
    kind: 'number',
    name: 'the gRPC status code',
    absent: 'There was no response, so there is no gRPC status code.',
  },
  GRPC_HEALTHCHECK_STATUS: {
    kind: 'number',
    name: 'the health status',
    absent: 'There was no health status: only checks in HEALTH mode have one, and only if the call succeeds.',
  },
  GRPC_RESPONSE: {
    kind: 'json',
    name: 'the response message',
    absent: 'There was no response message.',
  },
  TEXT_BODY: textBodySource,
  GRPC_METADATA: {
    kind: 'headers',
    name: 'the response metadata',
    entry: 'metadata key',
    absent: 'There was no response, so there is no metadata.',
  },
} as const

const GrpcAssertion = assertion('GrpcAssertion', comparisons, sources)

const GrpcMetadataItem = z
  .object({
    key: z.string().min(1).max(256),
    value: z.string().max(8192).describe('Base64 where the key ends with `-bin`'),
  })
  .meta({ id: 'GrpcMetadataItem' })

const maxTextChars = 256_000
const maxTimeoutSeconds = 180

const GrpcConfig = z
  .object({
    mode: z
      .enum(['BEHAVIOR', 'HEALTH'])
      .default('BEHAVIOR')
      .describe('BEHAVIOR calls a unary method; HEALTH calls grpc.health.v1.Health/Check'),
    tls: z.boolean().default(true),
    metadata: z.array(GrpcMetadataItem).max(50).default([]).describe('Sent with every call'),
    service: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe('HEALTH: the service whose health is asked for; null or empty: that of the server'),
    encoding: z
      .enum(['PROTOBUF'])
      .nullable()
      .default('PROTOBUF')
      .describe("Only protobuf; FlatBuffers aren't supported"),
    serviceDefinition: z
      .enum(['REFLECTION', 'PROTO_FILE'])
      .nullable()
      .default('REFLECTION')
      .describe("BEHAVIOR: the method's definition comes from the server's reflection or from protoContent"),
    method: z.string().max(1000).nullable().default(null).describe('BEHAVIOR: `package.Service/Method`'),
    protoContent: z
      .string()
      .max(maxTextChars)
      .nullable()
      .default(null)
      .describe("A proto file. It can import Google's well-known types and nothing else"),
    message: z
      .string()
      .max(maxTextChars)
      .nullable()
      .default(null)
      .describe('The request message as JSON; null or empty: a message without fields'),
  })
  .meta({ id: 'GrpcConfig' })

const GrpcRequest = z
  .object({
    url: Hostname.describe('A host name or an IP address'),
    port: z
      .union([
        Port,
        z
          .string()
          .max(200)
          .regex(/^\d{1,5}$|\{\{.+\}\}/, 'must be a port or a template'),
      ])
      .describe('A number, or text with a template'),
    ipFamily: IpFamily.nullable().default('IPv4'),
    skipSSL: z.boolean().default(false).describe('Whether any certificate is accepted'),
    timeout: z
      .int()
      .min(1)
      .max(maxTimeoutSeconds)
      .nullable()
      .default(60)
      .describe('Seconds; the server receives the rest of it as its deadline'),
    grpcConfig: GrpcConfig,
    assertions: z.array(GrpcAssertion).max(200).default([]),
  })
  .meta({ id: 'GrpcRequest' })

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('GRPC').default('GRPC'),
  frequency: MonitorFrequency.default(10).describe('Minutes; 0 runs every frequencyOffset seconds'),
  ...offsetField,
  request: GrpcRequest,
  ...responseTimes({ degraded: 10_000, max: 20_000, limit: maxTimeoutSeconds * 1000 }),
})

const GrpcCheckResult = NetworkCheckResult.extend({
  grpcStatusCode: z.number().nullable().describe('Null: there was no response'),
  healthStatus: z
    .number()
    .nullable()
    .describe('0 UNKNOWN, 1 SERVING, 2 NOT_SERVING, 3 SERVICE_UNKNOWN; null: none was asked for or given'),
}).meta({ id: 'GrpcCheckResult' })

/** BEHAVIOR needs a method, and a proto file if reflection isn't used. */
function configIssues({ request }: CheckValues): FieldIssue[] {
  const grpcConfig = isRecord(request) ? request.grpcConfig : undefined
  if (!isRecord(grpcConfig) || grpcConfig.mode !== 'BEHAVIOR') return []
  const issues: FieldIssue[] = []
  const path = (name: string) => ['request', 'grpcConfig', name]
  if (typeof grpcConfig.method !== 'string' || !/[^/.\s][/.][^/.\s]/.test(grpcConfig.method)) {
    issues.push({ path: path('method'), message: 'must be package.Service/Method in BEHAVIOR mode' })
  }
  if (grpcConfig.serviceDefinition === 'PROTO_FILE' && !grpcConfig.protoContent) {
    issues.push({ path: path('protoContent'), message: 'is required where serviceDefinition is PROTO_FILE' })
  }
  return issues
}

export const grpcMonitor = {
  type: 'GRPC',
  path: 'grpc',
  name: 'GrpcMonitor',
  title: 'a gRPC monitor',
  input,
  read: z.object({ ...readOf(input), ...offsetReadField }).meta({ id: 'GrpcMonitor' }),
  issues: (values) => [...sharedIssues(values), ...configIssues(values)],
  capacity: 'network',
  // The longest timeout, and time to connect, to read the definition and to judge.
  runLimitMs: maxTimeoutSeconds * 1000 + 15_000,
  usesClientCertificates: true,
  retries: 'any',
  entitlement: { meter: 'UPTIME_MONITORS' },
  sources,
  metrics: {
    responseTime: milliseconds(0, 'Response time'),
    dns: milliseconds(1, 'DNS'),
    tcp: milliseconds(2, 'TCP'),
    tls: milliseconds(3, 'TLS'),
    firstByte: milliseconds(4, 'First byte'),
    download: milliseconds(5, 'Download'),
  },
  responseTimeMetric: 'responseTime',
  summary: { responseTime: 'responseTime' },
  analytics: { path: 'grpc-checks', groupBy: ['runLocation'] },
  result: { kind: 'network', field: 'grpcCheckResult', schema: addition(GrpcCheckResult.nullable()) },
  timingMetric: 'vedette_grpc_monitor_timing_seconds',
  example: {
    name: 'Greeter',
    locations: ['eu-central-1'],
    frequency: 1,
    request: {
      url: 'grpc.example.com',
      port: 443,
      grpcConfig: {
        mode: 'BEHAVIOR',
        method: 'greet.Greeter/Hello',
        message: '{"name":"Vedette"}',
        metadata: [{ key: 'authorization', value: 'Bearer {{GREETER_TOKEN}}' }],
      },
      assertions: [
        { source: 'GRPC_STATUS_CODE', comparison: 'EQUALS', target: '0' },
        { source: 'GRPC_RESPONSE', comparison: 'NOT_EMPTY', property: '$.text' },
      ],
    },
  },
} satisfies CheckDefinition
