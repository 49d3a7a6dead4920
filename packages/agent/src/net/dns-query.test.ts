import { networkPolicy } from '@vedette/safeguards/address-policy'
import { encode } from 'dns-packet'
import { afterEach, describe, expect, it } from 'vitest'
import { type DnsQuery, queryDns } from './dns-query.ts'
import { returnCodeOf } from './dns-reply.ts'
import { type Asked, closeDnsServers, replyTo, serveDns } from './dns-server.fixture.ts'
import { isFailure } from './failure.ts'
import { clock, stoppable } from './listeners.fixture.ts'

afterEach(closeDnsServers)

const dialContext = (
  signal = new AbortController().signal,
  network = networkPolicy({ mode: 'default' }),
) => ({
  network,
  signal,
  monotonic: clock.monotonic,
})

const query = (port: number, over: Partial<DnsQuery> = {}): DnsQuery => ({
  question: { name: 'example.com', type: 'A' },
  server: { address: '127.0.0.1', port },
  protocol: 'UDP',
  timeoutMs: 10_000,
  ...over,
})

const address = (asked: Asked, data = '192.0.2.1') =>
  replyTo(asked, [{ type: 'A', name: 'example.com', ttl: 60, data }])

async function queryOnce(port: number, over: Partial<DnsQuery> = {}) {
  const reply = await queryDns(query(port, over), dialContext())
  if (isFailure(reply)) throw new Error(reply.message)
  return reply
}

const truncated = 0x0200

describe('queryDns', () => {
  it.each(['UDP', 'TCP'] as const)('asks over %s, with recursion desired and EDNS0', async (protocol) => {
    const { port, asked } = await serveDns((query) => address(query))
    const reply = await queryOnce(port, { protocol })
    expect(reply.protocol).toBe(protocol)
    expect(reply.packet.answers).toMatchObject([{ data: '192.0.2.1', ttl: 60 }])
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ protocol, query: { flag_rd: true } })
    expect(asked[0]?.query.additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232 }])
  })

  it('asks again over TCP when the datagram was too short for the reply', async () => {
    const { port, asked } = await serveDns((query) =>
      query.protocol === 'UDP' ? replyTo(query, [], truncated) : address(query),
    )
    expect((await queryOnce(port)).protocol).toBe('TCP')
    expect(asked.map(({ protocol }) => protocol)).toEqual(['UDP', 'TCP'])
  })

  it('ignores replies with another id, another question, no reply bit or no sense', async () => {
    const { port } = await serveDns((query) => [
      { ...address(query, '192.0.2.66'), id: ((query.query.id ?? 0) + 1) % 65_536 },
      { ...address(query, '192.0.2.66'), questions: [{ name: 'example.org', type: 'A' }] },
      { ...address(query, '192.0.2.66'), questions: [{ name: 'example.com', type: 'AAAA' }] },
      { ...address(query, '192.0.2.66'), questions: [] },
      { ...address(query, '192.0.2.66'), type: 'query' },
      Buffer.from('not a DNS message'),
      address(query),
    ])
    expect((await queryOnce(port)).packet.answers).toMatchObject([{ data: '192.0.2.1' }])
  })

  it('fails if a TCP reply is to another question', async () => {
    const { port } = await serveDns((query) => ({ ...address(query), id: (query.query.id ?? 0) ^ 1 }))
    const reply = await queryDns(query(port, { protocol: 'TCP' }), dialContext())
    expect(reply).toMatchObject({ kind: 'protocol', code: 'EBADRESP', address: `127.0.0.1:${port}` })
  })

  it('takes the name in whatever case the server repeats it', async () => {
    const { port } = await serveDns((query) => ({
      ...address(query),
      questions: [{ name: 'EXAMPLE.com', type: 'A' }],
    }))
    expect((await queryOnce(port)).packet.answers).toHaveLength(1)
  })

  it('asks once more without EDNS0 where the server does not know it', async () => {
    const { port, asked } = await serveDns((query) =>
      query.query.additionals?.length ? { ...replyTo(query, [], 1), questions: [] } : address(query),
    )
    expect(returnCodeOf((await queryOnce(port)).packet)).toBe('NOERROR')
    expect(asked).toHaveLength(2)
  })

  it('sends a lost datagram again', async () => {
    let seen = 0
    const { port } = await serveDns((query) => (++seen === 1 ? null : address(query)))
    await queryOnce(port, { resendMs: 5 })
    expect(seen).toBeGreaterThanOrEqual(2)
  })

  it('times out, and names the server', async () => {
    const { port } = await serveDns(() => null)
    const reply = await queryDns(query(port, { timeoutMs: 20 }), dialContext())
    expect(reply).toMatchObject({ kind: 'timeout', phase: 'wait', address: `127.0.0.1:${port}` })
  })

  it.each(['UDP', 'TCP'] as const)('stops at once when the run is canceled over %s', async (protocol) => {
    const { signal, cancel } = stoppable()
    const { port } = await serveDns(() => {
      cancel()
      return protocol === 'UDP' ? null : Buffer.from([0])
    })
    const reply = await queryDns(query(port, { protocol }), dialContext(signal))
    expect(reply).toMatchObject({ kind: 'internal', code: 'CANCELLED' })
    expect(await queryDns(query(port, { protocol }), dialContext(signal))).toMatchObject({
      code: 'CANCELLED',
    })
  })

  it('fails for a closed port', async () => {
    const { port } = await serveDns(() => null)
    await closeDnsServers()
    for (const protocol of ['UDP', 'TCP'] as const) {
      expect(await queryDns(query(port, { protocol }), dialContext())).toMatchObject({ code: 'ECONNREFUSED' })
    }
  })

  it('fails if the server closes the connection without a reply', async () => {
    const { port } = await serveDns(() => null)
    const reply = await queryDns(query(port, { protocol: 'TCP' }), dialContext())
    expect(reply).toMatchObject({ kind: 'connect', code: 'ECONNRESET', phase: 'wait' })
  })

  it('does not ask servers that the agent must not reach', async () => {
    const { port, asked } = await serveDns((query) => address(query))
    for (const protocol of ['UDP', 'TCP'] as const) {
      const reply = await queryDns(
        query(port, { protocol }),
        dialContext(undefined, networkPolicy({ mode: 'public' })),
      )
      expect(reply).toMatchObject({ kind: 'blocked', code: 'BLOCKED_ADDRESS' })
    }
    expect(asked).toEqual([])
  })

  it.each([['a..b'], [`${'a'.repeat(64)}.com`], [`${'a.'.repeat(130)}com`]])(
    'refuses the name %s',
    async (name) => {
      const reply = await queryDns(query(53, { question: { name, type: 'A' } }), dialContext())
      expect(reply).toMatchObject({ kind: 'dns', code: 'EBADNAME', phase: 'setup' })
    },
  )

  it('reads the upper bits of a return code', async () => {
    const { port } = await serveDns((query) =>
      encode({
        ...replyTo(query),
        additionals: [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: 512,
            extendedRcode: 1,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ],
      }),
    )
    expect(returnCodeOf((await queryOnce(port)).packet)).toBe('BADVERS')
  })
})
