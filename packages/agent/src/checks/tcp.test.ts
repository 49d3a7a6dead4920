import { createServer, type Socket } from 'node:net'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { closeListeners, listen, runContext, stoppable } from '../net/listeners.fixture.ts'
import { closeSilentPorts, silentPort } from '../net/silent-port.fixture.ts'
import { type TcpSettings, tcpMonitor, tcpRunner } from './tcp.ts'

afterEach(closeListeners)
afterEach(closeSilentPorts)

const job = (over: Partial<TcpSettings>) =>
  ({
    hostname: '127.0.0.1',
    port: 1,
    data: null,
    ipFamily: 'IPv4',
    assertions: [],
    ...over,
  }) as TcpSettings

const responseData = [
  { source: 'RESPONSE_DATA', comparison: 'NOT_EMPTY', property: '', target: '', regex: '' },
] as const
const assertions = [...responseData] as TcpSettings['assertions']

const serve = (onConnection: (socket: Socket) => void, allowHalfOpen = false) =>
  listen(createServer({ allowHalfOpen }, onConnection))

const impatient = tcpRunner({ timeoutMs: 30 })

describe('what the wire tells of a failed connection', () => {
  it('is the address of a refusal', async () => {
    const port = await serve(() => {})
    await closeListeners()
    const { detail } = await tcpMonitor.run(job({ port }), runContext())
    const error = { code: 'ECONNREFUSED', errno: -111, syscall: 'connect', address: '127.0.0.1', port }
    expect(detail.error).toEqual(error)
  })

  it.each([
    ['IPv4', 'queryA'],
    ['IPv6', 'queryAaaa'],
  ] as const)('is the name and the %s query that found nothing', async (ipFamily, syscall) => {
    const lookup = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ENOTFOUND' }))
    const { detail } = await tcpMonitor.run(job({ hostname: 'gone.test', ipFamily }), runContext({ lookup }))
    expect(detail.error).toEqual({ code: 'ENOTFOUND', syscall, hostname: 'gone.test' })
  })

  it('names the phase that timed out', async () => {
    const port = await silentPort('127.0.0.1')
    const { detail, failure } = await impatient(job({ port }), runContext())
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'connect' })
    expect(detail.error).toEqual({ code: 'SOCKET_TIMEOUT', address: '127.0.0.1', port })
  })

  it('is an address that is none', async () => {
    const { detail } = await tcpMonitor.run(job({ hostname: '999.1.1.1' }), runContext())
    expect(detail.error).toEqual({ code: 'ERR_INVALID_IP_ADDRESS' })
  })

  it('is nothing where it worked', async () => {
    const { detail } = await tcpMonitor.run(job({ port: await serve(() => {}) }), runContext())
    expect(detail.error).toBeNull()
  })
})

describe('a TCP monitor', () => {
  it('leaves time for a second address when the first never responds', async () => {
    const port = await silentPort('127.0.0.8')
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.9', resolve))
    const lookup = async () => ['127.0.0.8', '127.0.0.9']
    const run = tcpRunner({ timeoutMs: 1_500 })
    const { failure, detail } = await run(job({ hostname: 'two.test', port }), runContext({ lookup }))
    await new Promise((resolve) => server.close(resolve))
    expect(failure).toBeNull()
    expect(detail).toMatchObject({
      ip: '127.0.0.9',
      tried: [{ failure: { code: 'ETIMEDOUT' } }, { failure: null }],
    })
  })

  it('is content with the connection when there is nothing to send', async () => {
    const port = await serve(() => {})
    const { failure, detail, responseTimeMs, subjects } = await tcpMonitor.run(job({ port }), runContext())
    expect(failure).toBeNull()
    expect(detail).toMatchObject({
      ip: '127.0.0.1',
      response: { data: '', truncated: false },
      requestError: null,
    })
    expect(detail.timingPhases).toEqual({
      dns: expect.any(Number),
      connection: expect.any(Number),
      data: null,
      total: responseTimeMs,
    })
    expect(subjects).toEqual({
      RESPONSE_DATA: { kind: 'text', value: '' },
      RESPONSE_TIME: { kind: 'number', value: responseTimeMs },
    })
  })

  it('sends its data and reads the response', async () => {
    const port = await serve((socket) => socket.pipe(socket))
    const { failure, detail, subjects } = await tcpMonitor.run(job({ port, data: 'hällo' }), runContext())
    expect(failure).toBeNull()
    expect(detail.timingPhases.data).not.toBeNull()
    expect(subjects.RESPONSE_DATA).toEqual({ kind: 'text', value: 'hällo' })
  })

  it('assembles a response from chunks', async () => {
    const port = await serve((socket) => {
      socket.once('data', () => socket.write('first ', () => setImmediate(() => socket.end('second'))))
    })
    const run = tcpRunner({ quietMs: 10_000, collectMs: 10_000 })
    const { detail } = await run(job({ port, data: 'x' }), runContext())
    expect(detail.response).toEqual({ data: 'first second', truncated: false })
  })

  it('keeps the first 64 kB of an endless response', async () => {
    const port = await serve((socket) => {
      const flood = () => {
        while (!socket.destroyed && socket.write('x'.repeat(10_000)));
      }
      socket.on('drain', flood)
      flood()
    })
    const { detail } = await tcpMonitor.run(job({ port, data: 'x' }), runContext())
    expect(detail.response?.data).toHaveLength(65_536)
    expect(detail.response?.truncated).toBe(true)
  })

  it('waits for a greeting when the check asserts on it', async () => {
    const port = await serve((socket) => socket.write('220 ready\r\n'))
    const { subjects } = await tcpMonitor.run(job({ port, assertions }), runContext())
    expect(subjects.RESPONSE_DATA).toEqual({ kind: 'text', value: '220 ready\r\n' })
  })

  it('accepts no response if it sent no data', async () => {
    const port = await serve(() => {})
    const { failure, subjects, detail } = await impatient(job({ port, assertions }), runContext())
    expect(failure).toBeNull()
    expect(subjects.RESPONSE_DATA).toEqual({ kind: 'text', value: '' })
    expect(detail.timingPhases.data).toBeNull()
  })

  it('times out without a response to its data', async () => {
    const port = await serve(() => {})
    const { failure, responseTimeMs, subjects } = await impatient(job({ port, data: 'x' }), runContext())
    expect(failure).toMatchObject({
      kind: 'timeout',
      code: 'SOCKET_TIMEOUT',
      phase: 'wait',
      address: `127.0.0.1:${port}`,
    })
    expect(responseTimeMs).toBeNull()
    expect(subjects).toEqual({})
  })

  it('fails if the server closes the connection without a response', async () => {
    const port = await serve((socket) => socket.once('data', () => socket.end()))
    const { failure } = await tcpMonitor.run(job({ port, data: 'x' }), runContext())
    expect(failure).toMatchObject({ kind: 'protocol', code: 'SOCKET_CLOSED', phase: 'wait' })
  })

  it('fails for a half-open connection, which reads data but never responds', async () => {
    const port = await serve((socket) => socket.end(), true)
    expect((await tcpMonitor.run(job({ port, data: 'x' }), runContext())).failure).toMatchObject({
      code: 'SOCKET_CLOSED',
    })
    expect((await tcpMonitor.run(job({ port }), runContext())).failure).toBeNull()
  })

  it('fails for a reset', async () => {
    const port = await serve((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const { failure, detail } = await tcpMonitor.run(job({ port, data: 'x' }), runContext())
    expect(failure).toMatchObject({ kind: 'connect', code: 'ECONNRESET', phase: 'wait' })
    expect(detail.requestError).toBe(failure?.message)
  })

  it('fails for a refused connection', async () => {
    const port = await serve(() => {})
    await closeListeners()
    const { failure, detail } = await tcpMonitor.run(job({ port }), runContext())
    expect(failure).toMatchObject({ kind: 'connect', code: 'ECONNREFUSED', address: `127.0.0.1:${port}` })
    expect(detail.tried).toHaveLength(1)
    expect(detail.timingPhases).toMatchObject({ connection: null, total: null })
  })

  it('fails for a name without an address', async () => {
    const { failure } = await tcpMonitor.run(job({ hostname: 'nowhere.invalid' }), runContext())
    expect(failure).toMatchObject({ kind: 'dns', phase: 'dns' })
  })

  it.each(['999.0.0.1', '1.2.3.4.5', '[::g]'])("reports that %s isn't an address", async (hostname) => {
    const { failure } = await tcpMonitor.run(job({ hostname }), runContext())
    expect(failure).toMatchObject({ kind: 'dns', code: 'ERR_INVALID_IP_ADDRESS' })
  })

  it('reaches IPv6 addresses', async () => {
    const port = await listen(createServer(), '::1')
    const { failure, detail } = await tcpMonitor.run(
      job({ hostname: '[::1]', port, ipFamily: 'IPv6' }),
      runContext(),
    )
    expect(failure).toBeNull()
    expect(detail.ip).toBe('::1')
  })

  it('does not connect where the agent must not', async () => {
    let connections = 0
    const port = await serve(() => connections++)
    const context = runContext({ network: networkPolicy({ mode: 'public' }) })
    expect((await tcpMonitor.run(job({ port }), context)).failure).toMatchObject({ kind: 'blocked' })
    expect(connections).toBe(0)
  })

  it('stops when the run is canceled or times out', async () => {
    const { signal, cancel } = stoppable()
    const late = stoppable()
    const port = await serve((socket) =>
      socket.once('data', (data) => (`${data}` === 'c' ? cancel() : late.timeout())),
    )
    const cancelled = await tcpMonitor.run(job({ port, data: 'c' }), runContext({ signal }))
    expect(cancelled.failure).toMatchObject({ kind: 'internal', code: 'CANCELLED' })
    const timedOut = await tcpMonitor.run(job({ port, data: 't' }), runContext({ signal: late.signal }))
    expect(timedOut.failure).toMatchObject({ kind: 'timeout', code: 'SOCKET_TIMEOUT' })
    expect((await tcpMonitor.run(job({ port }), runContext({ signal }))).failure).toMatchObject({
      code: 'CANCELLED',
    })
  })
})
