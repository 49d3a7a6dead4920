import { createServer, type TlsOptions } from 'node:tls'
import { checkRoutesOf, createClientCertificate, getCheckStatus, getCheckTimeline } from '@vedette/contracts'
import { afterAll, expect, it } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { selfSigned } from '../../target/certificates.ts'

const day = 86_400_000
const hosts = ['localhost', 'mtls.localhost', '127.0.0.1']

export function sslMonitors(scene: Scene): void {
  const servers: { close(): void }[] = []
  afterAll(() => {
    for (const server of servers) server.close()
  })

  async function serve(options: TlsOptions): Promise<number> {
    const server = createServer(options, (socket) => socket.on('error', () => {}))
    server.on('tlsClientError', () => {})
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as { port: number }).port
  }

  async function monitor(sslConfig: object, request: object = {}): Promise<string> {
    const check = await scene.account.call(checkRoutesOf.SSL.create, {
      body: {
        name: 'A certificate',
        ...onDemandOnly,
        locations: ['us-east-1'],
        doubleCheck: false,
        degradedResponseTime: 30_000,
        maxResponseTime: 30_000,
        request: { sslConfig: { hostname: 'localhost', ...sslConfig }, ...request },
      } as never,
    })
    return check.id
  }

  it('passes with a trusted certificate, and knows when it expires', async () => {
    const { account } = scene
    const port = await serve(scene.authority.issue({ hosts, until: new Date(Date.now() + 60.5 * day) }))
    const assertions = [
      { source: 'CONNECTION', property: 'tlsVersion', comparison: 'EQUALS', target: 'TLS1.3' },
    ]
    const id = await monitor({ port }, { assertions })
    const result = await account.run(id)
    expect(result).toMatchObject({
      hasFailures: false,
      isDegraded: false,
      failure: null,
      sslCheckResult: {
        tlsVersion: 'TLS1.3',
        daysUntilExpiry: 60,
        chainTrusted: true,
        hostnameVerified: true,
        baselineVerdict: 'pass',
        response: { resolvedIp: '127.0.0.1', certificate: { subjectCN: 'localhost' } },
      },
      metrics: { daysUntilExpiry: 60, chainTrusted: 100, tlsVersion: 1.3 },
    })
    expect(result.metrics.handshakeTimeMs).toBe(result.responseTime)
    expect(await account.call(getCheckStatus, { params: { checkId: id } })).toMatchObject({
      sslDaysRemaining: 60,
    })
    expect(await account.state(id)).toBe('passing')
  })

  it('shows when the certificate was replaced', async () => {
    const { account } = scene
    const until = (days: number) => new Date(Date.now() + days * day)
    const server = createServer(scene.authority.issue({ hosts, until: until(40) }))
    server.on('tlsClientError', () => {})
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const id = await monitor({ port: (server.address() as { port: number }).port })
    await account.run(id)
    await account.run(id)
    const renewed = until(80)
    server.setSecureContext(scene.authority.issue({ hosts, until: renewed }))
    await account.run(id)
    const { certificates, events } = await account.call(getCheckTimeline, { params: { id }, query: {} })
    expect(certificates).toHaveLength(2)
    expect(events.filter(({ kind }) => kind === 'certificate')).toEqual([
      expect.objectContaining({
        at: certificates[1]?.firstSeenAt,
        text: expect.stringContaining(`valid until ${renewed.toISOString().slice(0, 10)}`),
      }),
    ])
  })

  it('is degraded shortly before it expires', async () => {
    const port = await serve(scene.authority.issue({ hosts, until: new Date(Date.now() + 5.5 * day) }))
    const id = await monitor({ port })
    expect(await scene.account.run(id)).toMatchObject({
      hasFailures: false,
      isDegraded: true,
      failure: { code: 'CERT_EXPIRES_SOON', message: expect.stringContaining('in 5 days') },
    })
    expect(await scene.account.state(id)).toBe('degraded')
  })

  it.each([
    ['expired', 'CERT_HAS_EXPIRED', 'EXPIRED'],
    ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED'],
    ['for another host', 'ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'],
  ] as const)('fails with a certificate that is %s', async (kind, code, failureCategory) => {
    const past = { from: new Date(Date.now() - 20 * day), until: new Date(Date.now() - 10 * day) }
    const pair = {
      expired: () => scene.authority.issue({ hosts, ...past }),
      'self-signed': () => selfSigned({ hosts }),
      'for another host': () => scene.authority.issue({ hosts: ['elsewhere.test'] }),
    }[kind]()
    const id = await monitor({ port: await serve(pair) })
    const result = await scene.account.run(id)
    expect(result).toMatchObject({
      hasFailures: true,
      failure: { kind: 'tls', code },
      sslCheckResult: { failureCategory, response: { chain: [{}] } },
    })
    expect(await scene.account.state(id)).toBe('failing')
  })

  it('fails with a weak protocol', async () => {
    const weak: TlsOptions = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }
    const port = await serve({ ...scene.authority.issue({ hosts }), ...weak })
    expect(await scene.account.run(await monitor({ port }))).toMatchObject({
      hasFailures: true,
      failure: { code: 'SECURITY_BASELINE', message: expect.stringContaining('TLS1.1') },
      sslCheckResult: { tlsVersion: 'TLS1.1', baselineVerdict: 'fail', baselineGrade: 'F' },
    })
  })

  it('sends the client certificate that a server requires, by host or by id', async () => {
    const { account, authority } = scene
    const port = await serve({
      ...authority.issue({ hosts }),
      requestCert: true,
      rejectUnauthorized: true,
      ca: authority.cert,
    })
    const without = await monitor({ port })
    expect(await account.run(without)).toMatchObject({
      hasFailures: true,
      failure: { message: expect.stringContaining('requires a client certificate') },
      sslCheckResult: { failureCategory: 'CLIENT_CERTIFICATE' },
    })
    const made = await account.call(createClientCertificate, {
      body: { host: 'mtls.localhost', ...authority.issue({ hosts: ['client.test'] }) } as never,
    })
    const byHost = await monitor({ port, hostname: 'mtls.localhost' })
    expect(await account.run(byHost)).toMatchObject({ hasFailures: false, failure: null })
    const byId = await monitor(
      { port, clientCertificateMode: 'explicit' },
      { sslClientCertificateId: (made as { id: string }).id },
    )
    expect(await account.run(byId)).toMatchObject({ hasFailures: false, failure: null })
  })
}
