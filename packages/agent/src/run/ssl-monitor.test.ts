import { createServer, type TlsOptions } from 'node:tls'
import { checkTypes } from '@vedette/contracts'
import { afterEach, describe, expect, it } from 'vitest'
import type { CheckOf, RunContext } from '../checks/runner.ts'
import { type SslDetail, sslMonitor } from '../checks/ssl.ts'
import {
  authority,
  client,
  elsewhere,
  expired,
  localhost,
  rsa,
  selfSigned,
  weakRsa,
} from '../net/certificates.fixture.ts'
import { closeListeners, listen, runContext } from '../net/listeners.fixture.ts'
import { metricsOf } from './reported-result.ts'
import { runMonitor } from './run-monitor.ts'

afterEach(closeListeners)

async function serve(options: TlsOptions): Promise<number> {
  const server = createServer(options)
  server.on('tlsClientError', () => {})
  return listen(server)
}

const certificateId = 'a9a2f5a8-6bcb-4a5c-9c12-1d3b7f6c2e01'
const trustedCertificate = {
  id: certificateId,
  host: 'localhost',
  ...client,
  ca: authority,
  passphrase: null,
}
const trusting = { clientCertificates: [trustedCertificate] }
async function run(
  port: number,
  { sslConfig = {}, ...request }: { sslConfig?: object; [field: string]: unknown } = {},
  over: Partial<RunContext> = trusting,
) {
  const settings = { sslConfig: { hostname: 'localhost', port, ...sslConfig }, ...request }
  const check = checkTypes.SSL.input.parse({ name: 'SSL', request: settings }) as unknown as CheckOf<'SSL'>
  const outcome = await runMonitor(
    { check, variables: {}, secrets: [], setup: [], teardown: [], snippets: [] },
    runContext(over),
  )
  return { ...outcome, detail: outcome.detail as SslDetail }
}

describe('an SSL monitor', () => {
  it('passes with all of the evidence', async () => {
    const { outcome, detail, failure, responseTimeMs } = await run(await serve(localhost))
    expect({ outcome, failure }).toEqual({ outcome: 'passed', failure: null })
    expect(detail).toMatchObject({
      tlsVersion: 'TLS1.3',
      cipherSuite: 'TLS_AES_256_GCM_SHA384',
      chainTrusted: true,
      hostnameVerified: true,
      baselineVerdict: 'pass',
      baselineGrade: 'A-',
      failureCategory: null,
      requestError: null,
      response: { resolvedIp: '127.0.0.1', certificate: { subjectCN: 'localhost' } },
    })
    expect(responseTimeMs).toBe(detail.handshakeTimeMs)
    const [handshake, days, bits, version, ...shares] = metricsOf('SSL', { responseTimeMs, detail })
    expect([handshake, days]).toEqual([responseTimeMs, detail.daysUntilExpiry])
    expect([bits, version, ...shares]).toEqual([256, 1.3, 100, 100, 0, 2])
  })

  it.each<[string, TlsOptions, string, string]>([
    ['expired', expired, 'CERT_HAS_EXPIRED', 'EXPIRED'],
    ['self-signed', selfSigned, 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED'],
    ['for another host', elsewhere, 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'],
    ['of an unknown authority', rsa, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNKNOWN_AUTHORITY'],
  ])('fails with a certificate that is %s, and still shows it', async (_, pair, code, category) => {
    const assertions = [{ source: 'CERTIFICATE', property: 'isCA', comparison: 'NOT_EMPTY', target: '' }]
    const { outcome, failure, detail, ...rest } = await run(await serve(pair), { assertions })
    expect({ outcome, code: failure?.code, kind: failure?.kind }).toEqual({
      outcome: 'failed',
      code,
      kind: 'tls',
    })
    expect(detail).toMatchObject({ failureCategory: category, requestError: null })
    expect(detail.response?.chain).toHaveLength(1)
    expect(rest.assertions).toMatchObject([{ source: 'CERTIFICATE' }])
  })

  it('accepts any authority with skipChainValidation, but not an expired certificate', async () => {
    const sslConfig = { skipChainValidation: true }
    expect(await run(await serve(selfSigned), { sslConfig })).toMatchObject({ outcome: 'passed' })
    expect(await run(await serve(expired), { sslConfig })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'CERT_HAS_EXPIRED' },
    })
  })

  it('is degraded from alertDaysBeforeExpiry on', async () => {
    const port = await serve(localhost)
    const { detail } = await run(port)
    // 364 days before the end, by the clock of the run.
    const end = Date.parse(detail.response?.certificate.notAfter ?? '')
    const clock = { now: () => end - 364.5 * 86_400_000, monotonic: () => performance.now() }
    const near = await run(port, { sslConfig: { alertDaysBeforeExpiry: 364 } }, { ...trusting, clock })
    expect(near).toMatchObject({
      outcome: 'degraded',
      failure: { code: 'CERT_EXPIRES_SOON', message: expect.stringContaining('expires in 364 days') },
    })
    const far = await run(port, { sslConfig: { alertDaysBeforeExpiry: 363 } }, { ...trusting, clock })
    expect(far.outcome).toBe('passed')
  })

  it('fails or is degraded by the security baseline', async () => {
    const port = await serve({
      ...weakRsa,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    })
    const skip = { skipChainValidation: true }
    expect(await run(port, { sslConfig: skip })).toMatchObject({
      outcome: 'failed',
      failure: { code: 'SECURITY_BASELINE', message: expect.stringContaining('TLS1.1') },
      detail: { baselineVerdict: 'fail', baselineGrade: 'F', failureCategory: 'SECURITY_BASELINE' },
    })
    const degrade = { severity: 'degrade' }
    const securityBaseline = {
      minTLSVersion: degrade,
      minKeySizeBits: { severity: 'ignore' },
      weakSignatureAlgorithm: { severity: 'ignore' },
    }
    expect(await run(port, { sslConfig: { ...skip, securityBaseline } })).toMatchObject({
      outcome: 'degraded',
      failure: { code: 'SECURITY_BASELINE', message: expect.stringContaining('TLS1.1') },
      detail: { baselineGrade: 'B' },
    })
    const disabled = { ...skip, securityBaseline: { enabled: false } }
    expect(await run(port, { sslConfig: disabled })).toMatchObject({
      outcome: 'passed',
      detail: { baselineVerdict: null },
    })
  })

  it.each([
    ['CERTIFICATE', 'daysUntilExpiry', 'GREATER_THAN', '7', true],
    ['CERTIFICATE', 'sans', 'CONTAINS', 'localhost', true],
    ['CERTIFICATE', 'selfSigned', 'EQUALS', 'false', true],
    ['CERTIFICATE', 'keySizeBits', 'EQUALS', '256', true],
    ['CERTIFICATE', 'issuerCN', 'EQUALS', 'nobody', false],
    ['CONNECTION', 'tlsVersion', 'EQUALS', 'TLS1.3', true],
    ['CONNECTION', 'chainTrusted', 'EQUALS', 'true', true],
    ['CONNECTION', 'resolvedIp', 'EQUALS', '127.0.0.2', false],
    ['RESPONSE_TIME', '', 'LESS_THAN', '30000', true],
    ['JSON_RESPONSE', '$.certificate.subjectCN', 'EQUALS', 'localhost', true],
    ['TEXT_RESPONSE', '', 'CONTAINS', 'TLS_AES', true],
  ])('asserts on %s %s: %s %s', async (source, property, comparison, target, isMet) => {
    const { outcome, assertions } = await run(await serve(localhost), {
      assertions: [{ source, property, comparison, target }],
    })
    expect({ outcome, error: assertions[0]?.error }).toEqual({
      outcome: isMet ? 'passed' : 'failed',
      error: isMet ? undefined : expect.stringContaining('Expected the '),
    })
  })

  describe('mutual TLS', () => {
    const demanding = { ...localhost, requestCert: true, rejectUnauthorized: true, ca: authority }
    const foreign = { clientCertificates: [{ ...trustedCertificate, host: 'elsewhere.test' }] }

    it('shows the certificate for the host, or the one that the check names', async () => {
      const port = await serve(demanding)
      expect(await run(port)).toMatchObject({ outcome: 'passed' })
      const named = {
        sslConfig: { clientCertificateMode: 'explicit' },
        sslClientCertificateId: certificateId,
      }
      expect(await run(port, named, foreign)).toMatchObject({ outcome: 'passed' })
    })

    it('fails without one or with an untrusted one, and explains why', async () => {
      const port = await serve(demanding)
      expect(await run(port, {}, foreign)).toMatchObject({
        outcome: 'failed',
        detail: { failureCategory: 'CLIENT_CERTIFICATE', response: null },
        failure: { message: expect.stringContaining('requires a client certificate') },
      })
      expect(await run(port, { sslClientCertificateId: certificateId }, {})).toMatchObject({
        outcome: 'failed',
        failure: { code: 'CLIENT_CERTIFICATE_NOT_FOUND' },
      })
    })
  })
})

it('identifies the chain that the server sent', async () => {
  const chainOf = async (options: TlsOptions) => {
    const { detail } = await run(await serve(options))
    return sslMonitor.certificate(detail)?.chainSha256
  }
  const first = await chainOf(localhost)
  expect(first).toMatch(/^[0-9a-f]{64}$/)
  expect(await chainOf(localhost)).toBe(first)
  expect(await chainOf(selfSigned)).not.toBe(first)
  expect(await chainOf({ ...localhost, cert: `${localhost.cert}${authority}` })).not.toBe(first)
})
