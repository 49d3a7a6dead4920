import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { authority, client, localhost, selfSigned } from '../net/certificates.fixture.ts'
import { closeListeners, listen, runContext, stoppable } from '../net/listeners.fixture.ts'
import { urlMonitor } from './url.ts'

afterEach(closeListeners)

const settings = (url: string) => ({
  method: 'GET' as const,
  url,
  followRedirects: true,
  skipSSL: false,
  ipFamily: 'IPv4' as const,
  assertions: [],
})

const clientCertificates = [{ ...client, host: '*', ca: authority, passphrase: null }]

/** Whatever name is asked for, the connection goes to loopback: the proxy resolves, not we. */
function tunnelTo(request: IncomingMessage, inbound: Socket, head: Buffer) {
  const outbound = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
    inbound.write('HTTP/1.1 200 Connection established\r\n\r\n')
    outbound.write(head)
    outbound.pipe(inbound).pipe(outbound)
  })
  outbound.on('error', () => inbound.destroy())
  inbound.on('error', () => outbound.destroy())
  inbound.on('close', () => outbound.destroy())
}

const run = (url: string, proxyUrl: string, over = {}) =>
  urlMonitor.run(settings(url), runContext({ proxyUrl, clientCertificates, ...over }))

describe('through a proxy', () => {
  it('an https target is reached by a tunnel, and its certificate is its own', async () => {
    const target = await listen(createHttpsServer(localhost, (_, response) => response.end('secure')))
    const asked: unknown[] = []
    const proxy = createServer().on('connect', (request, socket, head) => {
      asked.push([request.url, request.headers['proxy-authorization']])
      tunnelTo(request, socket as Socket, head)
    })
    const port = await listen(proxy)
    const { failure, detail } = await run(
      `https://localhost:${target}/`,
      `http://us%40er:pass@127.0.0.1:${port}`,
    )
    expect(failure).toBeNull()
    expect(asked).toEqual([[`localhost:${target}`, `Basic ${Buffer.from('us@er:pass').toString('base64')}`]])
    expect(detail.response?.body).toBe('secure')
    expect(detail).toMatchObject({ ip: null, tried: [{ address: `127.0.0.1:${port}` }] })
    expect(detail.tls).toMatchObject({ certificate: { subject: 'CN=localhost' }, certificateError: null })
    expect(detail.breakdown.tls).toEqual(expect.any(Number))
  })

  it('an http target is asked for by its whole URL', async () => {
    const asked: unknown[] = []
    const proxy = createServer((request, response) => {
      const { url, headers } = request
      asked.push([url, headers.host, headers['proxy-authorization']])
      response.end('by proxy')
    })
    const port = await listen(proxy)
    const { failure, detail } = await run('http://nowhere.test/a?b=c', `http://u:p@127.0.0.1:${port}`)
    expect(failure).toBeNull()
    const authorization = `Basic ${Buffer.from('u:p').toString('base64')}`
    expect(asked).toEqual([['http://nowhere.test/a?b=c', 'nowhere.test', authorization]])
    expect(detail.response?.body).toBe('by proxy')
    expect(JSON.stringify(detail)).not.toContain(authorization)
  })

  it('a proxy whose certificate is not trusted is not used', async () => {
    const port = await listen(createHttpsServer(selfSigned))
    const { failure } = await run('http://nowhere.test/', `https://127.0.0.1:${port}`)
    expect(failure).toMatchObject({ kind: 'tls', phase: 'tls', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    expect(failure?.message).toMatch(/^The location's proxy isn't usable\. The /)
  })

  it("a proxy's refusal is reported", async () => {
    const proxy = createServer().on('connect', (_, socket) => {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
    })
    const port = await listen(proxy)
    const { failure } = await run('https://nowhere.test/', `http://127.0.0.1:${port}`)
    expect(failure).toMatchObject({
      kind: 'connect',
      phase: 'connect',
      code: 'PROXY_407',
      address: 'nowhere.test:443',
    })
  })

  it('a proxy that closes the connection is reported', async () => {
    const port = await listen(createTcpServer((socket) => void socket.once('data', () => socket.end())))
    const { failure } = await run('https://nowhere.test/', `http://127.0.0.1:${port}`)
    expect(failure).toMatchObject({ kind: 'connect', phase: 'connect', code: 'ECONNRESET' })
  })

  it('a proxy that never responds times out', async () => {
    const { signal, timeout } = stoppable()
    const port = await listen(createTcpServer((socket) => void socket.once('data', timeout)))
    const { failure } = await run('https://nowhere.test/', `http://127.0.0.1:${port}`, { signal })
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'connect' })
  })

  it('a target that is a refused address is refused before the proxy is asked', async () => {
    const seen: Socket[] = []
    const port = await listen(createTcpServer((socket) => seen.push(socket)))
    const { failure } = await run('http://169.254.169.254/', `http://127.0.0.1:${port}`)
    expect(failure).toMatchObject({ kind: 'blocked', address: '169.254.169.254:80' })
    expect(seen).toEqual([])
  })

  it('the proxy itself is held to the rules', async () => {
    const network = networkPolicy({ mode: 'public' })
    const { failure } = await run('http://nowhere.test/', 'http://127.0.0.1:1', { network })
    expect(failure).toMatchObject({ kind: 'blocked', address: '127.0.0.1:1' })
  })

  it.each(['socks5://127.0.0.1:1', 'nonsense'])("%s isn't a proxy", async (proxyUrl) => {
    const { failure } = await run('http://nowhere.test/', proxyUrl)
    expect(failure).toMatchObject({ kind: 'connect', phase: 'setup', code: 'INVALID_PROXY' })
  })
})
