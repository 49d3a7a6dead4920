import { X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { certificateDetail } from './certificate-detail.ts'
import { localhost, root, rsa, weakRsa } from './certificates.fixture.ts'
import { type BaselineFacts, evaluateBaseline, type SecurityBaseline } from './tls-baseline.ts'

const detail = (pem: string) => certificateDetail(new X509Certificate(pem), 0)

const defaults: SecurityBaseline = {
  enabled: true,
  minTLSVersion: { value: 'TLS1.2', severity: 'fail' },
  minKeySizeBits: { value: 2048, severity: 'fail' },
  weakSignatureAlgorithm: { severity: 'fail' },
  weakCipherSuite: { severity: 'fail' },
  knownBadCA: { severity: 'fail' },
  recommendedTLSVersion: { value: 'TLS1.3', severity: 'ignore' },
  recommendedKeySizeBits: { value: 3072, severity: 'ignore' },
  ocspMustStapleRespected: { severity: 'ignore' },
  sctPresent: { severity: 'ignore' },
}

const good: BaselineFacts = {
  protocol: 'TLS1.3',
  cipherSuite: 'TLS_AES_256_GCM_SHA384',
  chain: [detail(localhost.cert)],
  ocspStapled: true,
  ocspMustStaple: true,
  sctPresent: true,
}

describe('evaluateBaseline', () => {
  it('passes a server that violates nothing', () => {
    expect(evaluateBaseline(defaults, good)).toEqual({ verdict: 'pass', grade: 'A-', findings: [] })
  })

  it('is null when it is disabled', () => {
    expect(evaluateBaseline({ ...defaults, enabled: false }, { ...good, protocol: 'TLS1.0' })).toBeNull()
  })

  it.each<[string, Partial<BaselineFacts>, string[], string]>([
    ['an old protocol', { protocol: 'TLS1.1' }, ['minTLSVersion', 'recommendedTLSVersion'], 'fail'],
    ['a protocol below the recommended', { protocol: 'TLS1.2' }, ['recommendedTLSVersion'], 'pass'],
    [
      'a short RSA key, signed with SHA-1',
      { chain: [detail(weakRsa.cert)] },
      ['minKeySizeBits', 'weakSignatureAlgorithm', 'recommendedKeySizeBits'],
      'fail',
    ],
    ['an RSA key below the recommended', { chain: [detail(rsa.cert)] }, ['recommendedKeySizeBits'], 'pass'],
    [
      'a root with a weak self-signature',
      { chain: [detail(localhost.cert), { ...detail(root), signatureAlgorithm: 'sha1WithRSAEncryption' }] },
      [],
      'pass',
    ],
    [
      'a distrusted authority',
      { chain: [{ ...detail(localhost.cert), issuer: 'C=NL, O=DigiNotar, CN=DigiNotar Public CA' }] },
      ['knownBadCA'],
      'fail',
    ],
    ['a missing OCSP response', { ocspStapled: false }, ['ocspMustStapleRespected'], 'pass'],
    ['a missing timestamp', { sctPresent: false }, ['sctPresent'], 'pass'],
  ])('reports %s', (_, over, rules, verdict) => {
    const result = evaluateBaseline(defaults, { ...good, ...over })
    expect(result?.findings.map(({ rule }) => rule)).toEqual(rules)
    expect(result?.verdict).toBe(verdict)
  })

  it.each([
    'TLS_RSA_WITH_AES_128_CBC_SHA',
    'TLS_ECDHE_RSA_WITH_RC4_128_SHA',
    'TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA',
    'TLS_DHE_RSA_EXPORT_WITH_DES40_CBC_SHA',
    'TLS_DH_anon_WITH_AES_128_CBC_SHA',
    'TLS_ECDH_RSA_WITH_AES_128_GCM_SHA256',
  ])('calls %s weak', (cipherSuite) => {
    const result = evaluateBaseline(defaults, { ...good, cipherSuite })
    expect(result).toMatchObject({ verdict: 'fail', grade: 'F', findings: [{ rule: 'weakCipherSuite' }] })
  })

  it.each([
    'TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384',
    'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    'TLS_DHE_RSA_WITH_AES_128_GCM_SHA256',
  ])("doesn't call %s weak", (cipherSuite) => {
    expect(evaluateBaseline(defaults, { ...good, cipherSuite })?.findings).toEqual([])
  })

  it('warns where the severity is degrade', () => {
    const baseline: SecurityBaseline = {
      ...defaults,
      recommendedTLSVersion: { value: 'TLS1.3', severity: 'degrade' },
    }
    expect(evaluateBaseline(baseline, { ...good, protocol: 'TLS1.2' })).toMatchObject({
      verdict: 'warn',
      grade: 'B',
      findings: [{ severity: 'degrade', message: expect.stringContaining('TLS1.3 is recommended') }],
    })
  })
})
