import { createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions as ServerTls, type TLSSocket } from 'node:tls'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import {
  authority,
  client,
  elsewhere,
  expired,
  expiredSelfSigned,
  localhost,
  selfSigned,
} from './certificates.fixture.ts'
import { type DialContext, type DialTarget, dial } from './dial.ts'
import { clock, closeListeners, listen, stoppable } from './listeners.fixture.ts'
import { type Lookup, resolveHost } from './resolve.ts'

// Only names are invented here; connections are real.
const answers: Record<string, string[]> = { 'several.test': ['127.0.0.2', '127.0.0.3', '127.0.0.1'] }
const lookup: Lookup = async (host) => answers[host] ?? []

afterEach(closeListeners)

const context = (over: Partial<DialContext> = {}): DialContext => ({
  network: networkPolicy({ mode: 'default' }),
  signal: new AbortController().signal,
  monotonic: clock.monotonic,
  ...over,
})

const at = (port: number, over: Partial<DialTarget> = {}): DialTarget => {
  return { host: '127.0.0.1', port, ipFamily: 'IPv4', ...over }
}

async function tlsListener(options: ServerTls, onSecure = (socket: TLSSocket) => void socket.resume()) {
  const server = createTlsServer({ ALPNProtocols: ['http/1.1'], ...options }, onSecure)
  server.on('tlsClientError', () => {})
  return listen(server)
}

async function refusedPort() {
  const port = await listen(createServer())
  await closeListeners()
  return port
}

describe('dial', () => {
  it('connects to an address and marks the moments in order', async () => {
    const port = await listen(createServer())
    const dialed = await dial(at(port), context())
    expect(dialed).toMatchObject({ failure: null, ip: '127.0.0.1', tls: null })
    expect(dialed.tried).toEqual([{ address: `127.0.0.1:${port}`, failure: null }])
    const { socket = 0, lookup = 0, connect = 0 } = dialed.marks
    expect(socket <= lookup && lookup <= connect).toBe(true)
    expect(dialed.marks.secureConnect).toBeUndefined()
    dialed.socket?.destroy()
  })

  it('resolves a name through the hosts file', async () => {
    const port = await listen(createServer())
    const dialed = await dial(at(port, { host: 'localhost' }), context())
    expect(dialed).toMatchObject({ failure: null, ip: '127.0.0.1' })
    dialed.socket?.destroy()
  })

  it('takes an IPv6 address in brackets', async () => {
    const port = await listen(createServer(), '::1')
    const dialed = await dial(at(port, { host: '[::1]', ipFamily: 'IPv6' }), context())
    expect(dialed).toMatchObject({ failure: null, ip: '::1', tried: [{ address: `[::1]:${port}` }] })
    dialed.socket?.destroy()
  })

  it('fails for a name that cannot be resolved', async () => {
    const { failure, tried } = await dial(at(80, { host: `${'a'.repeat(64)}.test` }), context())
    expect(failure).toMatchObject({ kind: 'dns', phase: 'dns', code: 'ENOTFOUND' })
    expect(tried).toEqual([])
  })

  it('fails for a refused connection', async () => {
    const port = await refusedPort()
    const { failure, socket } = await dial(at(port), context())
    expect(socket).toBeNull()
    expect(failure).toMatchObject({
      kind: 'connect',
      phase: 'connect',
      code: 'ECONNREFUSED',
      address: `127.0.0.1:${port}`,
    })
  })

  it('tries every address except those that the policy refuses, and reports all', async () => {
    const port = await listen(createServer())
    // A guard that broke must not lead a test out of this machine.
    const network = networkPolicy({ mode: 'default', deny: ['127.0.0.3'] })
    const dialed = await dial(at(port, { host: 'several.test' }), context({ network, lookup }))
    expect(dialed).toMatchObject({ failure: null, ip: '127.0.0.1' })
    expect(dialed.tried.map(({ address, failure }) => [address, failure?.code])).toEqual([
      [`127.0.0.2:${port}`, 'ECONNREFUSED'],
      [`127.0.0.3:${port}`, 'BLOCKED_ADDRESS'],
      [`127.0.0.1:${port}`, undefined],
    ])
    dialed.socket?.destroy()
  })

  it('connects to no address that the rules refuse, whatever its name', async () => {
    const seen: Socket[] = []
    const port = await listen(createServer((socket) => seen.push(socket)))
    const { failure } = await dial(
      at(port, { host: 'localhost' }),
      context({ network: networkPolicy({ mode: 'public' }) }),
    )
    expect(failure).toMatchObject({
      kind: 'blocked',
      phase: 'connect',
      code: 'BLOCKED_ADDRESS',
      address: `127.0.0.1:${port}`,
    })
    expect(seen).toEqual([])
  })

  it('stops while resolving', async () => {
    const { signal, timeout } = stoppable()
    const answer = dial(at(80, { host: 'localhost' }), context({ signal }))
    timeout()
    expect((await answer).failure).toMatchObject({ kind: 'timeout', phase: 'dns', code: 'TIMEOUT' })
  })

  it('stops while connecting', async () => {
    const port = await listen(createServer())
    const { signal, timeout } = stoppable()
    const refusalOf = () => {
      queueMicrotask(timeout)
      return null
    }
    const { failure } = await dial(at(port), context({ signal, network: { refusalOf } }))
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'connect', address: `127.0.0.1:${port}` })
  })

  it('stops before connecting', async () => {
    const port = await listen(createServer())
    const { signal, timeout } = stoppable()
    const refusalOf = () => {
      timeout()
      return null
    }
    const { failure } = await dial(at(port), context({ signal, network: { refusalOf } }))
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'connect', address: `127.0.0.1:${port}` })
  })

  it('does nothing for a run that is already canceled', async () => {
    const { failure, tried } = await dial(at(80), context({ signal: AbortSignal.abort() }))
    expect(failure).toMatchObject({ kind: 'internal', code: 'CANCELLED' })
    expect(tried).toEqual([])
  })
})

describe('dial with TLS', () => {
  const clientCertificate = { cert: '', key: '', ca: authority, passphrase: null }
  const trusted = { verify: true, alpn: ['http/1.1'], clientCertificate }

  it('reports protocol, cipher and certificate', async () => {
    const port = await tlsListener(localhost)
    const dialed = await dial(at(port, { host: 'localhost', tls: trusted }), context())
    expect(dialed).toMatchObject({
      failure: null,
      tls: {
        protocol: 'TLSv1.3',
        alpn: 'http/1.1',
        certificateError: null,
        certificate: {
          subject: 'CN=localhost',
          issuer: 'CN=Vedette test authority',
          altNames: ['localhost', '127.0.0.1'],
          validFrom: '2024-01-01T00:00:00.000Z',
          validTo: '2120-01-01T00:00:00.000Z',
          fingerprint256: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
        },
      },
    })
    expect(dialed.tls?.cipher).toMatch(/^TLS_/)
    expect(dialed.marks.secureConnect).toBeGreaterThanOrEqual(dialed.marks.connect ?? 0)
    dialed.socket?.destroy()
  })

  it.each([
    ['expired', expired, '127.0.0.1', 'CERT_HAS_EXPIRED', /expired on 2021-01-01/],
    ['self-signed', selfSigned, '127.0.0.1', 'DEPTH_ZERO_SELF_SIGNED_CERT', /self-signed/],
    ['for another address', elsewhere, '127.0.0.1', 'ERR_TLS_CERT_ALTNAME_INVALID', /elsewhere\.test/],
    ['for another name', elsewhere, 'localhost', 'ERR_TLS_CERT_ALTNAME_INVALID', /isn't for localhost/],
  ])('refuses a certificate that is %s, and still shows it', async (_, certificate, host, code, message) => {
    const port = await tlsListener(certificate)
    const refused = await dial(at(port, { host, tls: trusted }), context())
    expect(refused.failure).toMatchObject({ kind: 'tls', phase: 'tls', code, address: `127.0.0.1:${port}` })
    expect(refused.failure?.message).toMatch(message)
    expect(refused.tls).toMatchObject({
      certificateError: code,
      certificate: { validTo: expect.any(String) },
    })
    const skipped = await dial(at(port, { host, tls: { ...trusted, verify: false } }), context())
    expect(skipped).toMatchObject({ failure: null, tls: { certificateError: code } })
    skipped.socket?.destroy()
  })

  it('names everything that is wrong with a certificate, with its subject, issuer and dates', async () => {
    const port = await tlsListener(expiredSelfSigned)
    const { failure, tls } = await dial(at(port, { tls: trusted }), context())
    expect(tls?.certificateErrors.toSorted()).toEqual(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT'])
    expect(failure?.message).toMatch(/^The certificate .*\bexpired on 2021-01-01 00:00 UTC/)
    expect(failure?.message).toMatch(/^The certificate .*\bis self-signed/)
    expect(failure?.message).toContain(
      'Subject: CN=localhost; issuer: CN=localhost; valid from 2020-01-01 00:00 UTC to 2021-01-01 00:00 UTC.',
    )
  })

  it('refuses an authority that is not trusted', async () => {
    const port = await tlsListener(localhost)
    const { failure } = await dial(at(port, { tls: { verify: true } }), context())
    expect(failure).toMatchObject({ kind: 'tls', code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  })

  it('shows a client certificate, and trusts its authority', async () => {
    const subjects: unknown[] = []
    const port = await tlsListener({ ...localhost, ca: authority, requestCert: true }, (socket) => {
      subjects.push(socket.getPeerCertificate().subject.CN)
      socket.end('bye')
    })
    const clientCertificate = { ...client, ca: authority, passphrase: null }
    const dialed = await dial(at(port, { tls: { verify: true, clientCertificate } }), context())
    expect(dialed.failure).toBeNull()
    await new Promise((resolve) => dialed.socket?.once('data', resolve))
    expect(subjects).toEqual(['vedette client'])
    dialed.socket?.destroy()
  })

  it('reports an unusable client certificate', async () => {
    const port = await tlsListener(localhost)
    const clientCertificate = { cert: 'no PEM', key: client.key, ca: null, passphrase: null }
    const { failure } = await dial(at(port, { tls: { verify: false, clientCertificate } }), context())
    expect(failure).toMatchObject({ kind: 'tls', phase: 'tls', code: expect.any(String) })
  })

  it("reports that the server doesn't speak TLS", async () => {
    const port = await listen(
      createServer((socket) => void socket.on('data', () => socket.end('HTTP/1.1 400 No\r\n'))),
    )
    const { failure } = await dial(at(port, { tls: trusted }), context())
    expect(failure).toMatchObject({ kind: 'tls', phase: 'tls', code: expect.stringMatching(/^E/) })
  })

  it('reports that the handshake was interrupted', async () => {
    const port = await listen(
      createServer((socket) => void socket.once('data', () => socket.resetAndDestroy())),
    )
    const { failure } = await dial(at(port, { tls: trusted }), context())
    expect(failure).toMatchObject({ kind: 'tls', phase: 'tls', code: 'ECONNRESET' })
  })

  it('stops during a handshake without a reply', async () => {
    const { signal, timeout } = stoppable()
    const port = await listen(createServer((socket) => void socket.once('data', timeout)))
    const { failure } = await dial(at(port, { tls: trusted }), context({ signal }))
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'tls', address: `127.0.0.1:${port}` })
  })
})

it('resolves a name to each address once', async () => {
  expect(await resolveHost('localhost', 'IPv4', new AbortController().signal)).toEqual(['127.0.0.1'])
})
