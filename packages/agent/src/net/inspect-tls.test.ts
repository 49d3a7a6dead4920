import { createServer } from 'node:net'
import { createServer as createTlsServer, type Server, type TlsOptions } from 'node:tls'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import {
  authority,
  chained,
  client,
  elsewhere,
  expired,
  intermediate,
  localhost,
  ocspResponses,
  root,
  rsa,
  selfSigned,
  weakRsa,
} from './certificates.fixture.ts'
import { type InspectResult, type InspectTarget, inspectTls } from './inspect-tls.ts'
import { clock, closeListeners, listen } from './listeners.fixture.ts'
import { ocspStatus } from './ocsp-status.ts'

afterEach(closeListeners)

const trusted = (ca: string) => ({ clientCertificate: { cert: '', key: '', ca, passphrase: null } })

async function serve(options: TlsOptions, prepare?: (server: Server) => void): Promise<number> {
  const server = createTlsServer(options)
  server.on('tlsClientError', () => {})
  prepare?.(server)
  return listen(server)
}

function inspect(
  port: number,
  over: Partial<InspectTarget> = {},
  signal = new AbortController().signal,
): Promise<InspectResult> {
  const target = {
    hostname: 'localhost',
    port,
    ipFamily: 'IPv4' as const,
    serverName: null,
    skipChainValidation: false,
    timeoutMs: 5_000,
  }
  return inspectTls(
    { ...target, clientCertificate: null, ...over },
    { network: networkPolicy({ mode: 'default' }), signal, monotonic: clock.monotonic, now: clock.now },
  )
}

describe('inspectTls', () => {
  it('reports protocol, cipher and the whole chain of a trusted server', async () => {
    const port = await serve({ cert: `${chained.cert}${intermediate}`, key: chained.key })
    const { failure, inspection, certificateFailure, ip } = await inspect(port, trusted(root))
    expect({ failure, ip, problem: certificateFailure }).toEqual({
      failure: null,
      ip: '127.0.0.1',
      problem: null,
    })
    expect(inspection).toMatchObject({
      protocol: 'TLS1.3',
      cipherSuite: 'TLS_AES_256_GCM_SHA384',
      hostnameVerified: true,
      chainTrusted: true,
      chainTrustReason: null,
      incompleteChain: false,
      missingIntermediate: null,
      ocspStapled: false,
      ocspMustStaple: true,
      sctPresent: false,
      certificate: {
        subjectCN: 'localhost',
        issuerCN: 'Vedette test intermediate',
        sans: ['localhost', '127.0.0.1'],
        keyAlgorithm: 'ECDSA',
        keySizeBits: 256,
        signatureAlgorithm: 'ecdsa-with-SHA256',
        selfSigned: false,
        isCA: false,
      },
    })
    expect(inspection?.handshakeTimeMs).toBeGreaterThan(0)
    expect(inspection?.chain.map(({ subjectCN, isCA }) => [subjectCN, isCA])).toEqual([
      ['localhost', false],
      ['Vedette test intermediate', true],
    ])
    const { certificate, chain = [] } = inspection ?? {}
    expect(certificate?.issuerFingerprintSha256).toBe(chain[1]?.fingerprintSha256)
    expect(certificate?.daysUntilExpiry).toBe(
      Math.floor((Date.parse(certificate?.notAfter ?? '') - clock.now()) / 86_400_000),
    )
  })

  it.each([
    ['expired', expired, { ...trusted(authority) }, 'EXPIRED', /expired on 2021-01-01/],
    ['self-signed', selfSigned, {}, 'SELF_SIGNED', /is self-signed/],
    ['issued by an unknown authority', localhost, {}, 'UNKNOWN_AUTHORITY', /unknown issuer/],
    [
      'sent without its intermediate',
      { cert: chained.cert, key: chained.key },
      trusted(root),
      'INCOMPLETE_CHAIN',
      /chain may be incomplete/,
    ],
    [
      'sent with a root that is unknown',
      { cert: `${chained.cert}${intermediate}${root}`, key: chained.key },
      {},
      'UNKNOWN_AUTHORITY',
      /ends in an authority that isn't trusted/,
    ],
  ])('names the problem of a certificate that is %s', async (_, pair, over, reason, message) => {
    const { failure, inspection, certificateFailure } = await inspect(await serve(pair), over)
    expect(failure).toBeNull()
    expect(inspection).toMatchObject({
      chainTrusted: false,
      chainTrustReason: reason,
      hostnameVerified: true,
      incompleteChain: reason === 'INCOMPLETE_CHAIN',
      missingIntermediate: reason === 'INCOMPLETE_CHAIN' ? 'Vedette test intermediate' : null,
    })
    expect(certificateFailure?.message).toMatch(message)
  })

  it('ignores an unknown authority on request, but not the end of the validity', async () => {
    const unknown = await inspect(await serve(selfSigned), { skipChainValidation: true })
    expect(unknown).toMatchObject({ inspection: { chainTrusted: false }, certificateFailure: null })
    const old = await inspect(await serve(expired), { skipChainValidation: true })
    expect(old.certificateFailure).toMatchObject({ code: 'CERT_HAS_EXPIRED' })
  })

  it('reports a certificate for another host apart from the trust in its chain', async () => {
    const over = { ...trusted(authority), skipChainValidation: true }
    const { inspection, certificateFailure } = await inspect(await serve(elsewhere), over)
    expect(inspection).toMatchObject({ hostnameVerified: false, chainTrusted: true, chainTrustReason: null })
    expect(certificateFailure).toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
      message: expect.stringContaining("isn't for localhost but for elsewhere.test"),
    })
  })

  it('sends the server name and expects it in the certificate', async () => {
    const names: string[] = []
    const port = await serve({
      ...elsewhere,
      SNICallback: (name, done) => {
        names.push(name)
        done(null)
      },
    })
    const over = { ...trusted(authority), serverName: 'www.elsewhere.test' }
    const { inspection } = await inspect(port, over)
    expect({ names, verified: inspection?.hostnameVerified }).toEqual({
      names: ['www.elsewhere.test'],
      verified: true,
    })
  })

  it('inspects a server that speaks an outdated protocol with a short key', async () => {
    const port = await serve({
      ...weakRsa,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1',
      ciphers: 'ALL:@SECLEVEL=0',
    })
    const { inspection } = await inspect(port, trusted(root))
    expect(inspection).toMatchObject({
      protocol: 'TLS1.0',
      certificate: { keyAlgorithm: 'RSA', keySizeBits: 1024, signatureAlgorithm: 'ecdsa-with-SHA1' },
    })
  })

  it.each(['good', 'revoked', 'unknown'] as const)('reads a stapled response: %s', async (status) => {
    const port = await serve({ cert: `${chained.cert}${intermediate}`, key: chained.key }, (server) =>
      server.on('OCSPRequest', (_certificate, _issuer, done) =>
        done(null, Buffer.from(ocspResponses[status], 'base64')),
      ),
    )
    const { inspection, certificateFailure } = await inspect(port, trusted(root))
    const isRevoked = status === 'revoked'
    expect(inspection).toMatchObject({ ocspStapled: true, ocspStatus: status, chainTrusted: !isRevoked })
    expect(certificateFailure?.code).toBe(isRevoked ? 'CERT_REVOKED' : undefined)
  })

  describe('mutual TLS', () => {
    const demanding: TlsOptions = { ...rsa, requestCert: true, rejectUnauthorized: true, ca: authority }

    it('succeeds with the client certificate', async () => {
      const clientCertificate = { ...client, ca: root, passphrase: null }
      const { failure, inspection } = await inspect(await serve(demanding), { clientCertificate })
      expect(failure).toBeNull()
      expect(inspection?.chainTrusted).toBe(true)
    })

    it.each([
      ['TLSv1.3', /requires a client certificate and didn't get one/],
      ['TLSv1.2', /or requires a client certificate/],
    ] as const)('explains that the server requires one: %s', async (maxVersion, message) => {
      const { failure, inspection } = await inspect(await serve({ ...demanding, maxVersion }), trusted(root))
      expect(failure).toMatchObject({ kind: 'tls', phase: 'tls', message: expect.stringMatching(message) })
      expect(inspection).toBeNull()
    })
  })

  it('fails where the port speaks something else', async () => {
    const port = await listen(createServer((socket) => socket.end('220 mail.test ESMTP\r\n')))
    const { failure } = await inspect(port)
    expect(failure).toMatchObject({
      kind: 'tls',
      message: expect.stringContaining("doesn't speak TLS on this port"),
    })
  })

  it("fails with a timeout if the server doesn't reply to the handshake", async () => {
    const port = await listen(createServer(() => {}))
    const { failure } = await inspect(port, { timeoutMs: 50 })
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'tls' })
  })

  it('asks the address policy before it connects', async () => {
    const port = await serve(rsa)
    const network = networkPolicy({ mode: 'public' })
    const target = {
      hostname: '127.0.0.1',
      port,
      ipFamily: 'IPv4' as const,
      serverName: null,
      skipChainValidation: false,
      timeoutMs: 5_000,
    }
    const { failure } = await inspectTls(
      { ...target, clientCertificate: null },
      { network, signal: new AbortController().signal, monotonic: clock.monotonic, now: clock.now },
    )
    expect(failure).toMatchObject({ kind: 'blocked', code: 'BLOCKED_ADDRESS' })
  })
})

describe('ocspStatus', () => {
  it.each(['', '30', '3003020100', '30030a0106', 'ffffffffffff', '308400ffffff00'])(
    'calls %j invalid',
    (hex) => {
      expect(ocspStatus(Buffer.from(hex, 'hex'))).toBe('invalid')
    },
  )

  it('calls every truncated response invalid', () => {
    const whole = Buffer.from(ocspResponses.good, 'base64')
    for (let end = 0; end < whole.length; end++) expect(ocspStatus(whole.subarray(0, end))).toBe('invalid')
    expect(ocspStatus(whole)).toBe('good')
  })
})
