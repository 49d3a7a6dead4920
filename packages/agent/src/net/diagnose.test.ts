import { createServer, type Socket } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { type DiagnoseContext, type DiagnoseInput, diagnose } from './diagnose.ts'
import { closeDnsServers, replyTo, serveDns } from './dns-server.fixture.ts'
import { clock, closeListeners, listen, stoppable } from './listeners.fixture.ts'
import { readPcap } from './pcap.fixture.ts'

afterEach(closeListeners)
afterEach(closeDnsServers)

const context = (over: Partial<DiagnoseContext> = {}): DiagnoseContext => ({
  network: networkPolicy({ mode: 'default' }),
  signal: new AbortController().signal,
  monotonic: clock.monotonic,
  ...over,
})

const refusedAt = (address: string): Failure => {
  return {
    kind: 'connect',
    message: 'the connection was refused',
    phase: 'connect',
    address,
    code: 'ECONNREFUSED',
  }
}

const input = (over: Partial<DiagnoseInput> & { port: number | null }): DiagnoseInput => {
  const address = `127.0.0.1:${over.port}`
  const failure = refusedAt(address)
  return { checkType: 'TCP', host: '127.0.0.1', failure, tried: [{ address, failure }], ...over }
}

const noServers = { servers: [] }

async function refusedPort(host?: string) {
  const port = await listen(createServer(), host)
  await closeListeners()
  return port
}

/** A name server that knows the name's IPv4 address, but none of IPv6. */
async function nameServer(address = '127.0.0.1') {
  const { port } = await serveDns((asked) => {
    const [question] = asked.query.questions ?? []
    const alias = { type: 'CNAME', name: 'app.test', ttl: 60, data: 'lb.test' } as const
    const record = { type: 'A', name: 'lb.test', ttl: 60, data: address } as const
    return question?.type === 'A' ? replyTo(asked, [alias, record]) : replyTo(asked, [], 3)
  })
  return `127.0.0.1:${port}`
}

describe('diagnose', () => {
  it('reports each address, the route, and the packets of another attempt', async () => {
    const port = await refusedPort()
    const found = await diagnose(input({ port }), context(), noServers)
    expect(found).toMatchObject({
      target: { host: '127.0.0.1', port, address: '127.0.0.1' },
      resolvers: [],
      addresses: [{ address: `127.0.0.1:${port}`, tried: true, failure: { code: 'ECONNREFUSED' } }],
      ipv4Fallback: null,
      traceroute: {
        protocol: 'TCP',
        reached: true,
        hops: [{ ttl: 1, address: '127.0.0.1', answer: 'refused' }],
      },
      durationMs: expect.any(Number),
    })
    if (found.captureError !== undefined) return expect(found.captureError).toContain('CAP_NET_RAW')
    expect(readPcap(found.pcapDataUrl as string).map(({ flags }) => flags)).toEqual(['S', 'RA'])
  })

  it('reports the reply of each resolver, with its code and duration', async () => {
    const [good, port] = [await nameServer(), await refusedPort()]
    const silent = await serveDns((asked) => replyTo(asked, [], 2))
    const servers = [good, `127.0.0.1:${silent.port}`]
    const { resolvers } = await diagnose(input({ host: 'app.test', port }), context(), { servers })
    const durationMs = expect.any(Number)
    expect(resolvers).toEqual([
      {
        server: good,
        type: 'A',
        code: 'NOERROR',
        addresses: ['127.0.0.1'],
        aliases: ['lb.test.'],
        durationMs,
      },
      { server: good, type: 'AAAA', code: 'NXDOMAIN', addresses: [], aliases: [], durationMs },
      { server: servers[1], type: 'A', code: 'SERVFAIL', addresses: [], aliases: [], durationMs },
      { server: servers[1], type: 'AAAA', code: 'SERVFAIL', addresses: [], aliases: [], durationMs },
    ])
  })

  it('reports whether IPv4 works if IPv6 failed', async () => {
    const port = await listen(createServer())
    const address = `[::1]:${port}`
    const tried = [{ address, failure: refusedAt(address) }]
    const asked = input({ host: 'app.test', port, tried, failure: refusedAt(address) })
    const found = await diagnose(asked, context(), { servers: [await nameServer()] })
    expect(found).toMatchObject({
      target: { address: '::1' },
      ipv4Fallback: { works: true, tried: [{ address: `127.0.0.1:${port}`, failure: null }] },
      addresses: [
        { address, tried: true },
        { address: '127.0.0.1', tried: false, refused: null },
      ],
    })
    await closeListeners()
    const again = await diagnose(asked, context(), { servers: [await nameServer()] })
    expect(again.ipv4Fallback).toMatchObject({ works: false, tried: [{ failure: { code: 'ECONNREFUSED' } }] })
  })

  it('does so too for a name that no resolver is asked for', async () => {
    const port = await listen(createServer())
    const address = `[::1]:${port}`
    const tried = [{ address, failure: refusedAt(address) }]
    const asked = input({ host: 'localhost', port, tried, failure: refusedAt(address) })
    const found = await diagnose(asked, context(), { servers: [] })
    expect(found.ipv4Fallback).toEqual({
      works: true,
      tried: [{ address: `127.0.0.1:${port}`, failure: null }],
    })
  })

  it('does so too where the name had no IPv6 address at all', async () => {
    const port = await listen(createServer())
    const failure: Failure = { kind: 'dns', message: 'no such name', phase: 'dns', code: 'ENODATA' }
    const asked = { checkType: 'URL', host: 'app.test', port, failure, tried: [] }
    const found = await diagnose(asked, context(), { servers: [await nameServer()] })
    expect(found).toMatchObject({ ipv4Fallback: { works: true }, traceroute: { reached: true } })
  })

  it('contacts no address that the policy refuses, and reports it', async () => {
    const seen: Socket[] = []
    const port = await listen(createServer((socket) => seen.push(socket)))
    const network = networkPolicy({ mode: 'default', deny: ['127.0.0.0/8', '::1'] })
    const tried = [{ address: `[::1]:${port}`, failure: null }]
    const asked = input({ host: 'app.test', port, tried, failure: refusedAt(`[::1]:${port}`) })
    const found = await diagnose(asked, context({ network }), { servers: [await nameServer()] })
    expect(found.traceroute).toBeUndefined()
    expect(found).toMatchObject({
      tracerouteError: expect.stringContaining('must not reach'),
      captureError: expect.stringContaining('must not reach'),
      ipv4Fallback: { works: false, tried: [{ failure: { code: 'BLOCKED_ADDRESS' } }] },
      addresses: [{}, { address: '127.0.0.1', refused: 'an address this agent must not reach' }],
    })
    expect(seen).toEqual([])
  })

  it('has a way for checks without a port', async () => {
    const failure: Failure = { kind: 'packet_loss', message: 'lost', phase: 'judge' }
    // An address that no other test sends packets to: the capture has all of them.
    const host = '127.13.37.1'
    const asked = { checkType: 'ICMP', host, port: null, failure, tried: undefined }
    const found = await diagnose(asked, context(), noServers)
    expect(found).toMatchObject({
      target: { address: host, port: null },
      traceroute: { reached: true },
    })
    if (found.captureError === undefined) expect(readPcap(found.pcapDataUrl as string)).toHaveLength(2)
  })

  it.each([
    null,
    'nonsense',
    [null, 7, {}, { address: 9 }, { address: 'not an address' }],
    [{ address: '999.1.1.1:x', failure: 'odd' }],
  ])('never throws, whatever was tried: %j', async (tried) => {
    const failure = { kind: 'dns', message: '', phase: 'dns', address: ']:[' } as const
    const host = `${'a'.repeat(300)}..`
    const found = await diagnose({ checkType: '?', host, port: 99_999, failure, tried }, context(), noServers)
    expect(found).toMatchObject({ tracerouteError: expect.any(String), captureError: expect.any(String) })
  })

  it('ends within its time, and at once when it is stopped', async () => {
    const silence = await serveDns(() => null)
    const servers = [`127.0.0.1:${silence.port}`]
    const asked = input({ host: 'app.test', port: await refusedPort() })
    const found = await diagnose(asked, context({ signal: AbortSignal.timeout(50) }), { servers })
    expect(found.durationMs).toBeLessThan(1500)
    expect(found.resolvers).toMatchObject([{ code: 'TIMEOUT' }, { code: 'TIMEOUT' }])
    const { signal, cancel } = stoppable()
    cancel()
    const stopped = await diagnose(asked, context({ signal }), { servers })
    expect(stopped.resolvers).toMatchObject([{ code: 'CANCELLED' }, { code: 'CANCELLED' }])
  })
})
