import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { NetworkRules } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { expiredCertificate, localhostCertificate } from '../../testing/certificates.ts'
import { bodyOf, closeListeners, listen, listenHttp } from '../../testing/listeners.ts'
import { DeliveryError } from '../delivery/delivery-error.ts'
import { type Http, type HttpCall, openHttp } from './http.ts'

const opened: Http[] = []

function open(rules: NetworkRules = { mode: 'default' }, timeoutMs?: number): Http {
  const http = openHttp({ rules, ...(timeoutMs !== undefined && { timeoutMs }) })
  opened.push(http)
  return http
}

function call(url: string, over: Partial<HttpCall> = {}): HttpCall {
  return { method: 'POST', url, headers: {}, body: '{"a": 1}', ...over }
}

async function failureOf(sent: Promise<unknown>): Promise<DeliveryError> {
  const error = await sent.then(
    () => null,
    (error: unknown) => error,
  )
  if (!(error instanceof DeliveryError)) throw new Error(`not a DeliveryError: ${String(error)}`)
  return error
}

afterEach(async () => {
  for (const http of opened.splice(0)) http.close()
  await closeListeners()
})

describe('a call', () => {
  it('arrives as it was made', async () => {
    const seen: unknown[] = []
    const { url } = await listenHttp(async (request, response) => {
      const { method, url, headers } = request
      seen.push({ method, url, headers, body: await bodyOf(request) })
      response.writeHead(202, { 'X-Told': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('tänks')
    })
    const headers = { 'Content-Type': 'application/json', 'X-Name': 'Grüße…' }
    const answer = await open().send(call(`${url}/a/b?c=d%20e`, { headers, body: '{"ü": 1}' }))
    expect(answer).toEqual({
      status: 202,
      headers: expect.objectContaining({ 'x-told': 'yes', 'set-cookie': 'a=1,b=2' }),
      body: 'tänks',
    })
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/a/b?c=d%20e',
        headers: {
          host: url.slice('http://'.length),
          connection: 'keep-alive',
          'user-agent': 'Vedette',
          'content-type': 'application/json',
          'x-name': Buffer.from('Grüße…').toString('latin1'),
          'content-length': '9',
        },
        body: '{"ü": 1}',
      },
    ])
  })

  it('shows user and password of the address, and leaves lengths and connections to us', async () => {
    const { url } = await listenHttp((request, response) => response.end(JSON.stringify(request.headers)))
    const headers = {
      'Content-Length': '3',
      'Transfer-Encoding': 'chunked',
      Connection: 'close',
      Expect: 'x',
    }
    const address = url.replace('http://', 'http://us%20er:p%40ss@')
    const answer = await open().send(call(address, { headers, method: 'PUT', body: 'four' }))
    expect(JSON.parse(answer.body)).toMatchObject({
      authorization: `Basic ${Buffer.from('us er:p@ss').toString('base64')}`,
      'content-length': '4',
      connection: 'keep-alive',
    })
    expect(answer.body).not.toMatch(/transfer-encoding|expect/)
  })

  it.each(['GET', 'HEAD', 'DELETE'])('%s needs no body, nor has its answer one', async (method) => {
    const { url } = await listenHttp((request, response) =>
      response.writeHead(204, { 'x-m': request.method }).end(),
    )
    expect(await open().send(call(url, { method, body: null }))).toMatchObject({
      status: 204,
      headers: { 'x-m': method },
      body: '',
    })
  })

  it('follows no redirect', async () => {
    const paths: unknown[] = []
    const { url } = await listenHttp((request, response) => {
      paths.push(request.url)
      response.writeHead(307, { location: '/there' }).end()
    })
    expect(await open().send(call(`${url}/here`))).toMatchObject({ status: 307 })
    expect(paths).toEqual(['/here'])
  })

  it('reads 16 KB of an endless answer', async () => {
    const { url } = await listenHttp((_, response) => {
      const write = () => response.write('ä'.repeat(5000), () => setImmediate(write))
      write()
    })
    const { body } = await open().send(call(url))
    expect(body).toBe('ä'.repeat(8192))
  })

  it('is answered once its status is there, even if the rest never comes', async () => {
    const { url } = await listenHttp((_, response) => {
      response.writeHead(200)
      response.write('half')
    })
    expect(await open({ mode: 'default' }, 300).send(call(url))).toMatchObject({ status: 200, body: 'half' })
    const cut = await listenHttp((_, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('half', () => response.destroy())
    })
    expect(await open().send(call(cut.url))).toMatchObject({ status: 200, body: 'half' })
  })

  it('goes over few connections, however many calls there are', async () => {
    let calls = 0
    const { url, sockets } = await listenHttp((request, response) => {
      calls += 1
      request.resume().on('end', () => response.end('ok'))
    })
    const http = open()
    const answers = await Promise.all(new Array(2000).fill(0).map(() => http.send(call(url))))
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(calls).toBe(2000)
    expect(sockets.size).toBeLessThanOrEqual(32)
  })

  it('does not wait for those to a slow host', async () => {
    const stuck = await listenHttp(() => undefined)
    const fine = await listenHttp((_, response) => response.end('ok'))
    const http = open({ mode: 'default' }, 60_000)
    const waiting = new Array(200).fill(0).map(() => failureOf(http.send(call(stuck.url))))
    expect(await http.send(call(fine.url))).toMatchObject({ body: 'ok' })
    expect(stuck.sockets.size).toBeLessThanOrEqual(32)
    http.close()
    const failures = await Promise.all(waiting)
    expect(failures.every(({ permanent }) => !permanent)).toBe(true)
  })

  it('gets a connection again after others to the same host gave up', async () => {
    let isStuck = true
    const { url } = await listenHttp((_, response) => {
      if (!isStuck) response.end('ok')
    })
    const http = open({ mode: 'default' }, 500)
    const given = await Promise.all(new Array(40).fill(0).map(() => failureOf(http.send(call(url)))))
    // Which of the two a waiting one says depends on whether it gets a place in the last moment.
    const said = /did not answer within 0.5 s|no connection to .*was free within 0.5 s/
    for (const { message } of given) expect(message).toMatch(said)
    isStuck = false
    expect(await http.send(call(url))).toMatchObject({ body: 'ok' })
  })

  it('can be stopped', async () => {
    const controller = new AbortController()
    const { url } = await listenHttp(() => controller.abort())
    expect(await failureOf(open().send(call(url), controller.signal))).toMatchObject({
      message: expect.stringContaining('was stopped'),
      permanent: false,
    })
    expect(await failureOf(open().send(call(url), controller.signal))).toMatchObject({ permanent: false })
  })
})

describe('a call that fails', () => {
  const secrets = 'http://us3r:hunter2@HOST/services/T0/s3cret?key=t0ken'

  it('says so without the secrets of its address, and may go well another time', async () => {
    const silent = await listenHttp(() => undefined)
    const reset = await listen(createTcpServer((socket) => socket.resetAndDestroy()))
    const strange = await listen(createTcpServer((socket) => socket.end('SSH-2.0-x\r\n')))
    const closed = await listen(createTcpServer((socket) => socket.on('data', () => socket.end())))
    const goneServer = createTcpServer()
    const gone = await listen(goneServer)
    await new Promise((resolve) => goneServer.close(resolve))
    const cases: [number, RegExp][] = [
      [Number(new URL(silent.url).port), /did not answer within 0.5 s/],
      [reset.port, /closed the connection without an answer/],
      [closed.port, /closed the connection without an answer/],
      [strange.port, /does not answer in HTTP \(HPE_/],
      [gone.port, /refused the connection/],
    ]
    const http = open({ mode: 'default' }, 500)
    for (const [port, message] of cases) {
      const failure = await failureOf(http.send(call(secrets.replace('HOST', `127.0.0.1:${port}`))))
      expect(failure).toMatchObject({ permanent: false, message: expect.stringMatching(message) })
      expect(failure.message).toContain(`127.0.0.1:${port}`)
      expect(failure.message).not.toMatch(/us3r|hunter2|s3cret|t0ken|services/)
    }
  })

  it.each([
    ['not a URL', { url: 'hook t0ken' }, /is not a URL/],
    ['another scheme', { url: 'ftp://127.0.0.1/t0ken' }, /does not begin with http/],
    ['a file', { url: 'file:///etc/t0ken' }, /does not begin with http/],
    ['an address that is encoded badly', { url: 'http://%zz:t0ken@127.0.0.1/' }, /not encoded as it should/],
    ['a bad header name', { headers: { 'a t0ken': 'x' } }, /a header has a name/],
    [
      'a header that would be two',
      { headers: { 'x-a': 't0ken\r\nx-b: c' } },
      /the header x-a has characters/,
    ],
    ['a header with a null', { headers: { 'x-a': 't0ken\0' } }, /the header x-a has characters/],
    ['another method', { method: 'CONNECT' }, /calls are made with GET/],
  ])('for good: %s', async (_, over, message) => {
    const failure = await failureOf(open().send(call('http://127.0.0.1:9/', over)))
    expect(failure).toMatchObject({ permanent: true, message: expect.stringMatching(message) })
    expect(failure.message).not.toContain('t0ken')
  })
})

describe('the guard', () => {
  it.each([
    [
      'a metadata address',
      'http://169.254.169.254/t0ken',
      { mode: 'default' },
      /169.254.169.254:80 is a link-local/,
    ],
    ['the same mapped', 'http://[::ffff:169.254.169.254]/', { mode: 'default' }, /is a link-local address/],
    ['loopback', 'http://127.0.0.1:PORT/t0ken', { mode: 'public' }, /is a loopback address/],
    [
      'loopback as a number',
      'http://2130706433:PORT/',
      { mode: 'public' },
      /127.0.0.1:\d+ is a loopback address/,
    ],
    ['loopback in octal', 'http://0177.1:PORT/', { mode: 'public' }, /is a loopback address/],
    ['loopback in IPv6', 'http://[::1]:PORT/', { mode: 'public' }, /is a loopback address/],
    [
      'loopback by name',
      'http://localhost:PORT/t0ken',
      { mode: 'public' },
      /localhost:\d+ is a loopback address/,
    ],
    ['loopback by name, encrypted', 'https://localhost:PORT/', { mode: 'public' }, /is a loopback address/],
    [
      'a denied network',
      'http://127.0.0.1:PORT/',
      { mode: 'default', deny: ['127.0.0.0/8'] },
      /this server is told not to reach/,
    ],
  ] as [string, string, NetworkRules, RegExp][])(
    'refuses %s before connecting',
    async (_, address, rules, message) => {
      const { url, sockets } = await listenHttp((_, response) => response.end('inside'))
      const failure = await failureOf(open(rules).send(call(address.replace('PORT', new URL(url).port))))
      expect(failure).toMatchObject({ permanent: true, message: expect.stringMatching(message) })
      expect(failure.message).not.toContain('t0ken')
      expect(sockets.size).toBe(0)
    },
  )

  it('lets through what is allowed', async () => {
    const { url } = await listenHttp((_, response) => response.end('inside'))
    const http = open({ mode: 'public', allow: ['127.0.0.1'] })
    const answer = await http.send(call(url.replace('127.0.0.1', 'localhost')))
    expect(answer.body).toBe('inside')
  })
})

describe('TLS', () => {
  const usual = getCACertificates('default')
  afterEach(() => setDefaultCACertificates(usual))

  async function listenTls(certificate: { cert: string; key: string }): Promise<number> {
    const { port } = await listen(createTlsServer(certificate, (_, response) => response.end('safe')))
    return port
  }

  it('is spoken to who has an accepted certificate', async () => {
    const port = await listenTls(localhostCertificate)
    const refused = await failureOf(open().send(call(`https://localhost:${port}/`)))
    expect(refused).toMatchObject({
      permanent: false,
      message: `the certificate of localhost:${port} is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)`,
    })
    setDefaultCACertificates([...usual, localhostCertificate.cert])
    expect(await open().send(call(`https://localhost:${port}/`))).toMatchObject({ body: 'safe' })
    expect(await open().send(call(`https://127.0.0.1:${port}/`))).toMatchObject({ body: 'safe' })
  })

  it('heals when an expired certificate is renewed', async () => {
    setDefaultCACertificates([...usual, expiredCertificate.cert])
    const port = await listenTls(expiredCertificate)
    expect(await failureOf(open().send(call(`https://localhost:${port}/`)))).toMatchObject({
      permanent: false,
      message: `the certificate of localhost:${port} is not accepted (CERT_HAS_EXPIRED)`,
    })
  })

  it('is what the URL names, whatever a Host header says', async () => {
    setDefaultCACertificates([...usual, localhostCertificate.cert])
    const port = await listenTls(localhostCertificate)
    const http = open()
    const headers = { Host: 'elsewhere.example' }
    expect(await http.send(call(`https://localhost:${port}/`, { headers }))).toMatchObject({ body: 'safe' })
  })

  it('is missing where plain HTTP is spoken', async () => {
    const { url } = await listenHttp((_, response) => response.end())
    expect(await failureOf(open().send(call(url.replace('http:', 'https:'))))).toMatchObject({
      permanent: false,
      message: expect.stringMatching(/no TLS connection to .* could be made/),
    })
  })
})
