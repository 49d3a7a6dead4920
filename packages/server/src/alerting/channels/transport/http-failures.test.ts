import { createServer } from 'node:net'
import type { NetworkRules } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { listen, listenHttp } from '../../../testing/listeners.ts'
import { call, closeAll, failureOf, open } from './http.fixture.ts'

afterEach(closeAll)

describe('a failed request', () => {
  const secrets = 'http://us3r:hunter2@HOST/services/T0/s3cret?key=t0ken'

  it('is transient, and its message hides the secrets of the URL', async () => {
    const silent = await listenHttp(() => undefined)
    const reset = await listen(createServer((socket) => socket.resetAndDestroy()))
    const strange = await listen(createServer((socket) => socket.end('SSH-2.0-x\r\n')))
    const closed = await listen(createServer((socket) => socket.on('data', () => socket.end())))
    const goneServer = createServer()
    const gone = await listen(goneServer)
    await new Promise((resolve) => goneServer.close(resolve))
    const cases: [number, RegExp][] = [
      [Number(new URL(silent.url).port), /didn't respond within 0.5 s/],
      [reset.port, /closed the connection without a response/],
      [closed.port, /closed the connection without a response/],
      [strange.port, /didn't send an HTTP response \(HPE_/],
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
    ['not a URL', { url: 'hook t0ken' }, /isn't a URL/],
    ['another scheme', { url: 'ftp://127.0.0.1/t0ken' }, /doesn't begin with http/],
    ['a file', { url: 'file:///etc/t0ken' }, /doesn't begin with http/],
    ['a badly encoded address', { url: 'http://%zz:t0ken@127.0.0.1/' }, /isn't percent-encoded correctly/],
    ['a bad header name', { headers: { 'a t0ken': 'x' } }, /A header of the channel has a name/],
    [
      'a header injection',
      { headers: { 'x-a': 't0ken\r\nx-b: c' } },
      /The header x-a has control characters/,
    ],
    ['a header with a null', { headers: { 'x-a': 't0ken\0' } }, /The header x-a has control characters/],
    ['another method', { method: 'CONNECT' }, /Use one of GET/],
  ])('is permanent: %s', async (_, over, message) => {
    const failure = await failureOf(open().send(call('http://127.0.0.1:9/', over)))
    expect(failure).toMatchObject({ permanent: true, message: expect.stringMatching(message) })
    expect(failure.message).not.toContain('t0ken')
  })
})

describe('the address policy', () => {
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
      /this server must not reach/,
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

  it('permits allowed addresses', async () => {
    const { url } = await listenHttp((_, response) => response.end('inside'))
    const http = open({ mode: 'public', allow: ['127.0.0.1'] })
    const response = await http.send(call(url.replace('127.0.0.1', 'localhost')))
    expect(response.body).toBe('inside')
  })
})
