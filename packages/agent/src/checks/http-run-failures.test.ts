import { once } from 'node:events'
import { createServer } from 'node:http'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { dial } from '../net/dial.ts'
import { exchange } from '../net/http-exchange.ts'
import { clock, closeListeners, listen, runContext, serve, stoppable } from '../net/listeners.fixture.ts'
import { serveBytes, settings } from './http.fixture.ts'
import { runHttp } from './http-run.ts'

afterEach(closeListeners)

describe('a failure is reported', () => {
  it.each(['http://127.1/', 'http://2130706433/', 'http://[::ffff:127.0.0.1]/', 'http://localhost/'])(
    'as blocked for %s in public mode',
    async (url) => {
      const network = networkPolicy({ mode: 'public' })
      const { failure } = await runHttp(settings({ url }), runContext({ network }))
      expect(failure).toMatchObject({ kind: 'blocked', phase: 'connect', code: 'BLOCKED_ADDRESS' })
    },
  )

  it.each([
    ['a reset', '', 'end', 'connect', 'wait', 'ECONNRESET'],
    ['something else than HTTP', 'SSH-2.0-OpenSSH\r\n', 'end', 'protocol', 'wait', /^HPE_/],
    ['a head that is cut', 'HTTP/1.1 200 OK\r\nContent-', 'end', 'connect', 'wait', 'ECONNRESET'],
    [
      'a body that is cut',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx',
      'end',
      'connect',
      'receive',
      'ECONNRESET',
    ],
    [
      'a body that is dropped',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx',
      'reset',
      'connect',
      'receive',
      'ECONNRESET',
    ],
    [
      'a chunk that is none',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\nnonsense',
      'stay',
      'protocol',
      'receive',
      /^HPE_/,
    ],
    [
      'a head without end',
      `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`,
      'stay',
      'protocol',
      'wait',
      'HPE_HEADER_OVERFLOW',
    ],
  ] as const)('for %s', async (_, answer, andThen, kind, phase, code) => {
    const url = await serveBytes(answer, andThen)
    const { failure, responseTimeMs, detail } = await runHttp(settings({ url }), runContext())
    expect(failure).toMatchObject({ kind, phase, address: new URL(url).host })
    expect(failure?.code).toMatch(code)
    expect(responseTimeMs).toBeNull()
    expect(detail.requestError).toBe(failure?.message)
    expect(detail.response?.status).toBe(phase === 'receive' ? 200 : undefined)
  })

  it('for a closed port', async () => {
    const url = await serve(() => {})
    await closeListeners()
    const { failure, detail } = await runHttp(settings({ url }), runContext())
    expect(failure).toMatchObject({ kind: 'connect', phase: 'connect', code: 'ECONNREFUSED' })
    expect(detail.tried).toMatchObject([{ failure: { code: 'ECONNREFUSED' } }])
    expect(detail.breakdown).toMatchObject({ dns: expect.any(Number), connect: null })
  })

  it('for a header that cannot be sent', async () => {
    const url = await serve(() => {})
    const headers = [{ key: 'x', value: 'a\r\nb: c' }]
    const { failure } = await runHttp(settings({ url, headers }), runContext())
    expect(failure).toMatchObject({ kind: 'protocol', phase: 'send', code: 'ERR_INVALID_CHAR' })
  })

  it('for an address that is none', async () => {
    const { failure, detail } = await runHttp(settings({ url: 'ftp://x/' }), runContext())
    expect(failure).toMatchObject({ kind: 'protocol', phase: 'setup', code: 'INVALID_URL' })
    expect(detail.request.url).toBe('ftp://x/')
  })

  it('for headers that do not come in time', async () => {
    const { signal, timeout } = stoppable()
    const url = await serve(timeout)
    const { failure } = await runHttp(settings({ url }), runContext({ signal }))
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'wait', code: 'TIMEOUT' })
  })

  it('for a body that does not come in time, with what had come', async () => {
    const { signal, timeout } = stoppable()
    const url = await serve((_, response) => void response.write('x'.repeat(300_000)))
    const reserve = (bytes: number) => {
      queueMicrotask(timeout)
      return { bytes, wait: null }
    }
    const { failure, detail } = await runHttp(
      settings({ url, assertions: [{ source: 'TEXT_BODY' }] }),
      runContext({ signal, bodyBudget: { reserve } }),
    )
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'receive', code: 'TIMEOUT' })
    expect(detail.response).toMatchObject({ status: 200, body: 'x'.repeat(256_000), truncated: true })
  })

  it('for a canceled run, as an internal error', async () => {
    const { signal, cancel } = stoppable()
    const url = await serve(cancel)
    const { failure } = await runHttp(settings({ url }), runContext({ signal }))
    expect(failure).toMatchObject({ kind: 'internal', phase: 'wait', code: 'CANCELLED' })
  })

  it('for a run that is canceled between connecting and sending', async () => {
    const port = await listen(createServer())
    const target = { host: '127.0.0.1', port, ipFamily: 'IPv4' } as const
    const { socket } = await dial(target, { ...runContext(), ...clock })
    const { failure } = await exchange(
      socket!,
      { method: 'GET', target: '/', headers: {}, body: null },
      { ...clock, signal: AbortSignal.abort(), address: 'there', wantsBody: () => true },
    )
    expect(failure).toMatchObject({ kind: 'internal', phase: 'send', code: 'CANCELLED', address: 'there' })
    expect(socket?.destroyed).toBe(true)
  })

  it('and the connection is closed, whatever happened', async () => {
    const { signal, timeout } = stoppable()
    const server = createServer(timeout)
    const connected = once(server, 'connection')
    const url = `http://127.0.0.1:${await listen(server)}`
    const run = runHttp(settings({ url }), runContext({ signal }))
    const [socket] = await connected
    await Promise.all([run, once(socket, 'close')])
    expect(socket.destroyed).toBe(true)
  })
})
