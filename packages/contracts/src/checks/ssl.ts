import { z } from 'zod'
import type { FieldIssue } from '../core/errors.ts'
import { addition, Uuid } from '../core/fields.ts'
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
import {
  type CheckDefinition,
  type CheckValues,
  milliseconds,
  networkRunLimitMs,
  type SourceProperties,
} from './definition.ts'
import { MonitorFrequency } from './frequency.ts'
import { Hostname, IpFamily, Port } from './request-fields.ts'

const noHandshake = 'There was no TLS handshake.'

const sources = {
  CERTIFICATE: {
    kind: 'headers',
    name: 'the certificate',
    entry: 'certificate property',
    absent: 'The server showed no certificate.',
  },
  CONNECTION: {
    kind: 'headers',
    name: 'the connection',
    entry: 'connection property',
    absent: noHandshake,
  },
  RESPONSE_TIME: responseTimeSource,
  JSON_RESPONSE: { kind: 'json', name: 'the response', absent: 'There was no response.' },
  TEXT_RESPONSE: { kind: 'text', name: 'the response', absent: noHandshake },
} as const

/** What an assertion on a source can name, besides the whole. */
const sourceProperties: SourceProperties = {
  CERTIFICATE: [
    'daysUntilExpiry',
    'keySizeBits',
    'subjectCN',
    'issuerCN',
    'serialNumber',
    'fingerprintSha256',
    'issuerFingerprintSha256',
    'keyAlgorithm',
    'signatureAlgorithm',
    'sans',
    'selfSigned',
    'isCA',
  ],
  CONNECTION: [
    'tlsVersion',
    'cipherSuite',
    'hostnameVerified',
    'chainTrusted',
    'ocspStapled',
    'ocspStatus',
    'resolvedIp',
  ],
}

const SslAssertion = assertion('SslAssertion', comparisons, sources)

const severity = (byDefault: 'fail' | 'ignore') => z.enum(['fail', 'degrade', 'ignore']).default(byDefault)

const tlsVersionRule = (value: 'TLS1.2' | 'TLS1.3', byDefault: 'fail' | 'ignore') =>
  z
    .object({ value: z.enum(['TLS1.2', 'TLS1.3']).default(value), severity: severity(byDefault) })
    .default({ value, severity: byDefault })

const keySizeRule = (value: number, byDefault: 'fail' | 'ignore') =>
  z
    .object({ value: z.int().min(1024).max(16_384).default(value), severity: severity(byDefault) })
    .default({ value, severity: byDefault })

const rule = (byDefault: 'fail' | 'ignore') =>
  z.object({ severity: severity(byDefault) }).default({ severity: byDefault })

const SecurityBaseline = z
  .object({
    enabled: z.boolean().default(true),
    minTLSVersion: tlsVersionRule('TLS1.2', 'fail'),
    minKeySizeBits: keySizeRule(2048, 'fail').describe(
      'Bits of an RSA key; other keys count by their strength',
    ),
    weakSignatureAlgorithm: rule('fail'),
    weakCipherSuite: rule('fail'),
    knownBadCA: rule('fail'),
    recommendedTLSVersion: tlsVersionRule('TLS1.3', 'ignore'),
    recommendedKeySizeBits: keySizeRule(3072, 'ignore'),
    ocspMustStapleRespected: rule('ignore'),
    sctPresent: rule('ignore'),
  })
  .meta({ id: 'SslSecurityBaseline' })

const SslConfig = z
  .object({
    hostname: Hostname,
    port: Port.default(443),
    serverName: Hostname.nullable()
      .default(null)
      .describe('Sent as SNI and expected in the certificate instead of the hostname'),
    ipFamily: IpFamily.default('IPv4'),
    skipChainValidation: z
      .boolean()
      .default(false)
      .describe('Accepts any authority; the validity and the name still count'),
    handshakeTimeoutMs: z.int().min(1000).max(30_000).default(10_000),
    alertDaysBeforeExpiry: z.int().min(1).max(365).default(20).describe('From then on the run is degraded'),
    securityBaseline: SecurityBaseline.default(SecurityBaseline.parse({})),
    clientCertificateMode: z
      .enum(['auto', 'explicit'])
      .optional()
      .describe(
        'auto: the client certificate of the account for the hostname; explicit: sslClientCertificateId',
      ),
  })
  .meta({ id: 'SslConfig' })

const SslRequest = z
  .object({
    sslConfig: SslConfig,
    sslClientCertificateId: Uuid.nullable().default(null),
    assertions: z.array(SslAssertion).max(200).default([]),
  })
  .meta({ id: 'SslRequest' })

const input = z.object({
  ...coreFields,
  ...placementFields,
  ...retryFields,
  ...runtimeFields,
  checkType: z.literal('SSL').default('SSL'),
  frequency: MonitorFrequency.default(10).describe('Minutes; 0 runs every frequencyOffset seconds'),
  ...offsetField,
  request: SslRequest,
  ...responseTimes({ degraded: 3000, max: 10_000, limit: 30_000 }),
})

const SslMonitor = z.object({ ...readOf(input), ...offsetReadField }).meta({ id: 'SslMonitor' })

const SslCheckResult = NetworkCheckResult.extend({
  tlsVersion: z.string().nullable(),
  cipherSuite: z.string().nullable(),
  daysUntilExpiry: z.number().nullable(),
  handshakeTimeMs: z.number().nullable(),
  chainTrusted: z.boolean().nullable(),
  hostnameVerified: z.boolean().nullable(),
  baselineVerdict: z.enum(['pass', 'warn', 'fail']).nullable(),
  baselineGrade: z.string().nullable(),
  failureCategory: z.string().nullable().describe('The kind of the problem; null: there is none'),
}).meta({ id: 'SslCheckResult' })

export const sslMonitor = {
  type: 'SSL',
  path: 'ssl',
  name: 'SslMonitor',
  title: 'an SSL monitor',
  input,
  read: SslMonitor,
  issues: (values) => [...sharedIssues(values), ...requestIssues(values)],
  capacity: 'network',
  runLimitMs: networkRunLimitMs,
  usesClientCertificates: true,
  retries: 'any',
  entitlement: { meter: 'UPTIME_MONITORS' },
  sources,
  sourceProperties,
  metrics: {
    handshakeTimeMs: milliseconds(0, 'TLS handshake'),
    daysUntilExpiry: { index: 1, unit: 'count', label: 'Days until the certificate expires' },
    keySizeBits: { index: 2, unit: 'count', label: 'Bits of the key' },
    tlsVersion: { index: 3, unit: 'score', label: 'TLS version' },
    hostnameVerified: { index: 4, unit: 'percentage', label: 'Hostname verified' },
    chainTrusted: { index: 5, unit: 'percentage', label: 'Chain trusted' },
    ocspStapled: { index: 6, unit: 'percentage', label: 'OCSP response stapled' },
    baselineVerdict: { index: 7, unit: 'score', label: 'Security baseline: 2 pass, 1 warn, 0 fail' },
  },
  responseTimeMetric: 'handshakeTimeMs',
  summary: { responseTime: 'handshakeTimeMs' },
  analytics: { path: 'ssl', groupBy: ['runLocation'] },
  result: { kind: 'network', field: 'sslCheckResult', schema: addition(SslCheckResult.nullable()) },
  timingMetric: 'vedette_ssl_monitor_timing_seconds',
  example: {
    name: 'Certificate of the shop',
    locations: ['eu-central-1'],
    frequency: 60,
    request: {
      sslConfig: { hostname: 'shop.example.com', alertDaysBeforeExpiry: 14 },
      assertions: [
        { source: 'CONNECTION', property: 'tlsVersion', comparison: 'EQUALS', target: 'TLS1.3' },
        { source: 'CERTIFICATE', property: 'daysUntilExpiry', comparison: 'GREATER_THAN', target: '7' },
      ],
    },
  },
} satisfies CheckDefinition

function requestIssues({ request }: CheckValues): FieldIssue[] {
  // Also of a check that isn't valid yet.
  const { sslConfig, sslClientCertificateId, assertions } = Object(request)
  const issues: FieldIssue[] = []
  if (sslConfig?.clientCertificateMode === 'explicit' && !sslClientCertificateId) {
    const message = 'must be set when clientCertificateMode is explicit'
    issues.push({ path: ['request', 'sslClientCertificateId'], message })
  }
  if (!Array.isArray(assertions)) return issues
  for (const [index, { source, property }] of assertions.map(Object).entries()) {
    const known = sourceProperties[source]
    if (!known || !property || known.includes(property)) continue
    const message = `must be one of ${known.join(', ')}`
    issues.push({ path: ['request', 'assertions', index, 'property'], message })
  }
  return issues
}
