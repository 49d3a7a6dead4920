import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, listenHttp } from '../../../testing/listeners.ts'
import { call, closeAll, failureOf, open } from './http.fixture.ts'

afterEach(closeAll)

describe('a request', () => {
  it('arrives unchanged', async () => {
    const seen: unknown[] = []
    const { url } = await listenHttp(async (request, response) => {
      const { method, url, headers } = request
      seen.push({ method, url, headers, body: await bodyOf(request) })
      response.writeHead(202, { 'X-Reply': 'yes', 'Set-Cookie': ['a=1', 'b=2'] }).end('tänks')
    })
    const headers = { 'Content-Type': 'application/json', 'X-Name': 'Grüße…' }
    const response = await open().send(call(`${url}/a/b?c=d%20e`, { headers, body: '{"ü": 1}' }))
    expect(response).toEqual({
      status: 202,
      headers: expect.objectContaining({ 'x-reply': 'yes', 'set-cookie': 'a=1,b=2' }),
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

  it('sends credentials of the URL, and ignores framing headers', async () => {
    const { url } = await listenHttp((request, response) => response.end(JSON.stringify(request.headers)))
    const headers = {
      'Content-Length': '3',
      'Transfer-Encoding': 'chunked',
      Connection: 'close',
      Expect: 'x',
    }
    const address = url.replace('http://', 'http://us%20er:p%40ss@')
    const response = await open().send(call(address, { headers, method: 'PUT', body: 'four' }))
    expect(JSON.parse(response.body)).toMatchObject({
      authorization: `Basic ${Buffer.from('us er:p@ss').toString('base64')}`,
      'content-length': '4',
      connection: 'keep-alive',
    })
    expect(response.body).not.toMatch(/transfer-encoding|expect/)
  })

  it.each(['GET', 'HEAD', 'DELETE'])('%s works without a body in request and response', async (method) => {
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

  it('reads 16 KB of an endless response', async () => {
    const { url } = await listenHttp((_, response) => {
      const write = () => response.write('ä'.repeat(5000), () => setImmediate(write))
      write()
    })
    const { body } = await open().send(call(url))
    expect(body).toBe('ä'.repeat(8192))
  })

  it('succeeds once the status arrived, even if the body is incomplete', async () => {
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

  it('shares a few connections', async () => {
    let calls = 0
    const { url, sockets } = await listenHttp((request, response) => {
      calls += 1
      request.resume().on('end', () => response.end('ok'))
    })
    const http = open()
    const responses = await Promise.all(new Array(2000).fill(0).map(() => http.send(call(url))))
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    expect(calls).toBe(2000)
    expect(sockets.size).toBeLessThanOrEqual(32)
  })

  it('does not wait for requests to a slow host', async () => {
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

  it('gets a connection after others to the same host timed out', async () => {
    let isStuck = true
    const { url } = await listenHttp((_, response) => {
      if (!isStuck) response.end('ok')
    })
    const http = open({ mode: 'default' }, 500)
    const given = await Promise.all(new Array(40).fill(0).map(() => failureOf(http.send(call(url)))))
    // A waiting request may get a connection just before the timeout, so both messages occur.
    const timeouts = /didn't respond within 0.5 s|No connection to .*became free within 0.5 s/
    for (const { message } of given) expect(message).toMatch(timeouts)
    isStuck = false
    expect(await http.send(call(url))).toMatchObject({ body: 'ok' })
  })

  it('can be aborted', async () => {
    const controller = new AbortController()
    const { url } = await listenHttp(() => controller.abort())
    expect(await failureOf(open().send(call(url), controller.signal))).toMatchObject({
      message: expect.stringContaining('was stopped'),
      permanent: false,
    })
    expect(await failureOf(open().send(call(url), controller.signal))).toMatchObject({ permanent: false })
  })
})
