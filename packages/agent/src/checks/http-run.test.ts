import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { authority, client, expired, localhost } from '../net/certificates.fixture.ts'
import { closeListeners, listen, runContext, serve } from '../net/listeners.fixture.ts'
import { apiCheck } from './api.ts'
import { serveBytes, settings } from './http.fixture.ts'
import { runHttp } from './http-run.ts'
import { urlMonitor } from './url.ts'

afterEach(closeListeners)

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

describe('runHttp', () => {
  it('sends the whole request and reports the response', async () => {
    const requests: { method?: string; url?: string; headers: object; body: string }[] = []
    const url = await serve(async (request, response) => {
      const { method, url, headers } = request
      requests.push({ method: method ?? '', url: url ?? '', headers, body: await bodyOf(request) })
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.writeHead(201, 'Made', { 'content-type': 'application/json' }).end('{"ok":true}')
    })
    const observation = await runHttp(
      settings({
        url: `${url}/orders?page=1`,
        method: 'POST',
        bodyType: 'JSON',
        body: '{"a":"ü"}',
        headers: [{ key: 'X-Own', value: 'yes' }],
        queryParameters: [
          { key: 'tag', value: 'a b' },
          { key: 'tag', value: 'c' },
        ],
        basicAuth: { username: 'user', password: 'pass' },
      }),
      runContext(),
    )
    expect(requests).toEqual([
      {
        method: 'POST',
        url: '/orders?page=1&tag=a%20b&tag=c',
        headers: {
          host: new URL(url).host,
          'user-agent': 'Vedette/test',
          accept: '*/*',
          'accept-encoding': 'gzip, deflate',
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from('user:pass').toString('base64')}`,
          'x-own': 'yes',
          'content-length': '10',
          connection: 'close',
        },
        body: '{"a":"ü"}',
      },
    ])
    const { detail, subjects } = observation
    expect(observation.failure).toBeNull()
    expect(detail.request).toMatchObject({
      method: 'POST',
      url: `${url}/orders?page=1`,
      data: '{"a":"ü"}',
      params: { tag: ['a b', 'c'] },
    })
    expect(detail.response).toMatchObject({
      status: 201,
      statusText: 'Made',
      body: '{"ok":true}',
      truncated: false,
      href: `${url}/orders?page=1&tag=a%20b&tag=c`,
      headers: { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] },
    })
    expect(detail).toMatchObject({ requestError: null, ip: '127.0.0.1', tls: null, redirects: [] })
    expect(subjects).toMatchObject({
      STATUS_CODE: { kind: 'number', value: 201 },
      JSON_BODY: { kind: 'json', value: { ok: true } },
      TEXT_BODY: { kind: 'text', value: '{"ok":true}' },
      HEADERS: { kind: 'named', values: { 'set-cookie': 'a=1, b=2', 'content-type': 'application/json' } },
      RESPONSE_TIME: { kind: 'number', value: observation.responseTimeMs },
    })
    const { timingPhases } = detail.response!
    const { total, ...parts } = timingPhases
    expect(Object.values(parts).reduce<number>((sum, part) => sum + part!, 0)).toBeCloseTo(total!, 5)
    expect(total).toBe(observation.responseTimeMs)
    expect(Object.entries(detail.breakdown).filter(([, value]) => value === null)).toEqual([
      ['tls', null],
      ['agentWait', null],
    ])
  })

  it('treats a status of 500 as a response', async () => {
    const url = await serve((_, response) => response.writeHead(500).end('no'))
    const { failure, subjects } = await runHttp(settings({ url }), runContext())
    expect(failure).toBeNull()
    expect(subjects.STATUS_CODE).toEqual({ kind: 'number', value: 500 })
  })

  it('has no JSON_BODY without JSON or without its content type', async () => {
    const url = await serve((request, response) => {
      const type = request.url === '/text' ? 'text/plain' : 'application/json'
      response.setHeader('content-type', type).end(request.url === '/text' ? '{}' : '{"cut":')
    })
    for (const path of ['/text', '/broken']) {
      const { failure, subjects } = await runHttp(settings({ url: url + path }), runContext())
      expect(failure).toBeNull()
      expect(subjects).not.toHaveProperty('JSON_BODY')
    }
  })

  it('sends no body and reads none with HEAD', async () => {
    const url = await serve((_, response) => {
      response.setHeader('content-encoding', 'gzip').setHeader('content-length', 5).end()
    })
    const { failure, detail } = await runHttp(settings({ url, method: 'HEAD' }), runContext())
    expect(failure).toBeNull()
    expect(detail.response).toMatchObject({ status: 200, body: '' })
  })

  it('lets a check set its own host header', async () => {
    const url = await serve((request, response) => response.end(request.headers.host))
    const headers = [{ key: 'Host', value: 'other.test' }]
    const { detail } = await runHttp(settings({ url, headers }), runContext())
    expect(detail.response?.body).toBe('other.test')
  })

  it('reports a switch of protocols as a response', async () => {
    const url = await serveBytes(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      'stay',
    )
    const headers = [
      { key: 'Upgrade', value: 'x' },
      { key: 'Connection', value: 'Upgrade' },
    ]
    const { failure, detail } = await runHttp(settings({ url, headers }), runContext())
    expect(failure).toBeNull()
    expect(detail.response?.status).toBe(101)
  })
})

describe('redirects', () => {
  it('are followed hop by hop, credentials staying with their host', async () => {
    const seen: [string, string | undefined][] = []
    const answer = (_: IncomingMessage, response: ServerResponse) => response.end('there')
    const other = await serve((request, response) => {
      seen.push(['other', request.headers.authorization])
      answer(request, response)
    })
    const url = await serve((request, response) => {
      seen.push([request.url ?? '', request.headers.authorization])
      const location = request.url === '/a' ? '/b' : `${other}/end`
      response.writeHead(302, { location }).end('not read')
    })
    const basicAuth = { username: 'u', password: 'p' }
    const { failure, detail, responseTimeMs } = await runHttp(
      settings({ url: `${url}/a`, basicAuth }),
      runContext(),
    )
    expect(failure).toBeNull()
    const authorization = expect.stringMatching(/^Basic /)
    expect(seen).toEqual([
      ['/a', authorization],
      ['/b', authorization],
      ['other', undefined],
    ])
    expect(detail.response).toMatchObject({ status: 200, body: 'there', href: `${other}/end` })
    expect(detail.redirects).toMatchObject([
      { status: 302, url: `${url}/a`, location: `${url}/b`, ip: '127.0.0.1' },
      { status: 302, url: `${url}/b`, location: `${other}/end`, ip: '127.0.0.1' },
    ])
    const before = detail.redirects.reduce((sum, { durationMs }) => sum + durationMs, 0)
    expect(detail.response?.timingPhases.wait).toBeGreaterThanOrEqual(Math.floor(before))
    expect(detail.response?.timingPhases.total).toBe(responseTimeMs)
  })

  it("are responses if they aren't followed", async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: '/x' }).end('moved'))
    const { failure, detail } = await runHttp(settings({ url, followRedirects: false }), runContext())
    expect(failure).toBeNull()
    expect(detail.response).toMatchObject({ status: 302, body: 'moved' })
    expect(detail.redirects).toEqual([])
  })

  it('that never end fail after 20', async () => {
    let count = 0
    const url = await serve((_, response) => response.writeHead(307, { location: `/${++count}` }).end())
    const { failure, detail } = await runHttp(settings({ url }), runContext())
    expect(failure).toMatchObject({
      kind: 'redirect',
      phase: 'receive',
      code: 'TOO_MANY_REDIRECTS',
      address: new URL(url).host,
    })
    expect(detail.redirects).toHaveLength(20)
    expect(count).toBe(21)
  })

  it('to an invalid URL fail', async () => {
    const url = await serve((_, response) =>
      response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    )
    const { failure } = await runHttp(settings({ url }), runContext())
    expect(failure).toMatchObject({ kind: 'redirect', code: 'INVALID_REDIRECT', address: new URL(url).host })
  })

  it('to a refused address are not followed', async () => {
    const location = 'http://127.0.0.3/latest/meta-data/'
    // A guard that broke must not lead a test out of this machine.
    const network = networkPolicy({ mode: 'default', deny: ['127.0.0.3'] })
    const url = await serve((_, response) => response.writeHead(302, { location }).end())
    const { failure, detail, subjects } = await runHttp(settings({ url }), runContext({ network }))
    expect(failure).toMatchObject({
      kind: 'blocked',
      phase: 'connect',
      code: 'BLOCKED_ADDRESS',
      address: '127.0.0.3:80',
    })
    expect(detail).toMatchObject({
      response: null,
      requestError: failure?.message,
      redirects: [{ location }],
    })
    expect(subjects).toEqual({})
  })
})

describe('https', () => {
  const serveTls = async (certificate: { cert: string; key: string }) => {
    const server = createHttpsServer(
      { ...certificate, requestCert: true, rejectUnauthorized: false },
      (_, response) => response.end('secure'),
    )
    return `https://localhost:${await listen(server)}`
  }
  const clientCertificates = [{ ...client, host: 'local*', ca: authority, passphrase: null }]

  it('reports the facts of the connection', async () => {
    const url = await serveTls(localhost)
    const { failure, detail } = await runHttp(settings({ url }), runContext({ clientCertificates }))
    expect(failure).toBeNull()
    expect(detail.response?.body).toBe('secure')
    expect(detail.tls).toMatchObject({ protocol: 'TLSv1.3', certificateError: null })
    expect(detail.tls?.cipher).toMatch(/^TLS_/)
    expect(detail.breakdown.tls).toEqual(expect.any(Number))
  })

  it.each([
    [localhost, '2119-12-01T00:00:00.000Z', 31],
    [localhost, '2119-12-31T12:00:00.000Z', 0],
    [expired, '2021-01-02T01:00:00.000Z', -2],
  ])('counts the days that a certificate has left', async (certificate, at, days) => {
    const url = await serveTls(certificate)
    const clock = { now: () => Date.parse(at), monotonic: () => performance.now() }
    const { detail } = await runHttp(
      settings({ url, skipSSL: true }),
      runContext({ clientCertificates, clock }),
    )
    expect(detail.tls?.daysRemaining).toBe(days)
  })

  it('refuses an expired certificate, and takes it with skipSSL', async () => {
    const url = await serveTls(expired)
    const refused = await runHttp(settings({ url }), runContext({ clientCertificates }))
    expect(refused.failure).toMatchObject({ kind: 'tls', phase: 'tls', code: 'CERT_HAS_EXPIRED' })
    expect(refused.detail).toMatchObject({ ip: '127.0.0.1', tls: { certificateError: 'CERT_HAS_EXPIRED' } })
    const skipped = await runHttp(settings({ url, skipSSL: true }), runContext({ clientCertificates }))
    expect(skipped.failure).toBeNull()
    expect(skipped.detail.tls?.certificateError).toBe('CERT_HAS_EXPIRED')
  })
})

describe('credentials in a URL', () => {
  it('are sent, and shown nowhere', async () => {
    const seen: (string | undefined)[] = []
    const host = new URL(
      await serve((request, response) => {
        seen.push(request.headers.authorization)
        response.end()
      }),
    ).host
    const { detail } = await runHttp(settings({ url: `http://ann:p%40ss@${host}/a@b` }), runContext())
    expect(seen).toEqual([`Basic ${Buffer.from('ann:p@ss').toString('base64')}`])
    expect(detail.request.url).toBe(`http://*********@${host}/a@b`)
    expect(detail.response?.href).toBe(`http://${host}/a@b`)
  })

  it("don't appear in a failure either", async () => {
    const { failure, detail } = await runHttp(settings({ url: 'http://ann:p%40ss@[x/' }), runContext())
    expect(failure).toMatchObject({ code: 'INVALID_URL' })
    expect(JSON.stringify([failure, detail])).not.toMatch(/ann|p%40ss/)
  })
})

describe('the runners', () => {
  it('run an API check and a URL monitor alike', async () => {
    const url = await serve((_, response) => response.end('fine'))
    const request = {
      method: 'GET' as const,
      url,
      followRedirects: true,
      skipSSL: false,
      ipFamily: 'IPv4' as const,
    }
    const api = await apiCheck.run(
      {
        ...request,
        body: '',
        bodyType: 'NONE',
        headers: [],
        queryParameters: [],
        basicAuth: null,
        assertions: [],
      },
      runContext(),
    )
    const monitor = await urlMonitor.run({ ...request, assertions: [] }, runContext())
    for (const { failure, detail } of [api, monitor]) {
      expect(failure).toBeNull()
      expect(detail.response).toMatchObject({ status: 200, body: 'fine' })
    }
  })
})
