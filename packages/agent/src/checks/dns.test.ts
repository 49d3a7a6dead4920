import { networkPolicy } from '@vedette/safeguards/address-policy'
import type { Answer } from 'dns-packet'
import { afterEach, describe, expect, it } from 'vitest'
import { closeDnsServers, replyTo, serveDns } from '../net/dns-server.fixture.ts'
import { runContext, stoppable } from '../net/listeners.fixture.ts'
import { type DnsSettings, dnsMonitor, dnsRunner } from './dns.ts'

afterEach(closeDnsServers)

const job = (over: Partial<DnsSettings>): DnsSettings => ({
  query: 'example.com',
  recordType: 'A',
  nameServer: '127.0.0.1',
  protocol: 'UDP',
  assertions: [],
  ...over,
})

const name = 'example.com'
// A loopback address that is refused: should the guard ever fail, nothing leaves this machine.
const refused = '127.0.0.66'
const guarded = () => runContext({ network: networkPolicy({ mode: 'default', deny: [refused] }) })
const soa = {
  mname: 'ns1.example.com',
  rname: 'admin.example.com',
  serial: 2024010100,
  refresh: 7200,
  retry: 3600,
  expire: 1209600,
  minimum: 300,
}

const records: [DnsSettings['recordType'], Answer, string][] = [
  ['A', { type: 'A', name, ttl: 60, data: '192.0.2.1' }, '192.0.2.1'],
  ['AAAA', { type: 'AAAA', name, ttl: 60, data: '2001:db8::1' }, '2001:db8::1'],
  ['CNAME', { type: 'CNAME', name, ttl: 60, data: 'www.example.com' }, 'www.example.com.'],
  [
    'MX',
    { type: 'MX', name, ttl: 60, data: { preference: 10, exchange: 'mail.example.com' } },
    '10 mail.example.com.',
  ],
  ['TXT', { type: 'TXT', name, ttl: 60, data: ['v=spf1 ', 'include:ä ~all'] }, 'v=spf1 include:ä ~all'],
  [
    'SOA',
    { type: 'SOA', name, ttl: 60, data: soa },
    'ns1.example.com. admin.example.com. 2024010100 7200 3600 1209600 300',
  ],
  ['NS', { type: 'NS', name, ttl: 60, data: 'ns1.example.com' }, 'ns1.example.com.'],
  [
    'HTTPS',
    // 1 . alpn=h2,h3 port=8443 ipv4hint=192.0.2.1
    {
      type: 'UNKNOWN_65',
      name,
      ttl: 60,
      data: Buffer.from('0001000001000602683202683300030002' + '20fb00040004c0000201', 'hex'),
    } as unknown as Answer,
    '1 . alpn="h2,h3" port=8443 ipv4hint=192.0.2.1',
  ],
]

describe('a DNS monitor', () => {
  it.each(records)('returns %s records as JSON and as text', async (recordType, record, data) => {
    const { port } = await serveDns((asked) => replyTo(asked, [record]))
    const { failure, detail, subjects, responseTimeMs } = await dnsMonitor.run(
      job({ recordType, port }),
      runContext(),
    )
    const answer = {
      Answer: [{ name: 'example.com.', type: recordType, TTL: 60, data }],
      Question: [{ name: 'example.com.', type: recordType }],
      Status: 'NOERROR',
      TC: false,
      RD: true,
      RA: true,
      AD: false,
      CD: false,
    }
    expect(failure).toBeNull()
    expect(detail.nameServerInfo).toEqual({ host: '127.0.0.1', port })
    expect(detail.response).toMatchObject({ returnCode: 'NOERROR', answer, responseTime: responseTimeMs })
    expect(subjects).toMatchObject({
      RESPONSE_TIME: { kind: 'number', value: responseTimeMs },
      RESPONSE_CODE: { kind: 'text', value: 'NOERROR' },
      JSON_ANSWER: { kind: 'json', value: answer },
    })
    expect(subjects.TEXT_ANSWER).toMatchObject({ kind: 'text', value: expect.stringContaining(data) })
  })

  it.each([
    ['FORMERR', 1],
    ['SERVFAIL', 2],
    ['NXDOMAIN', 3],
    ['REFUSED', 5],
  ])('treats %s as a response', async (code, flags) => {
    const { port } = await serveDns((asked) => replyTo(asked, [], flags))
    const { failure, detail, subjects } = await dnsMonitor.run(job({ port }), runContext())
    expect(failure).toBeNull()
    expect(detail.response).toMatchObject({ returnCode: code, answer: { Answer: [], Status: code } })
    expect(subjects.RESPONSE_CODE).toEqual({ kind: 'text', value: code })
  })

  it('asks only the name server that is named', async () => {
    const silent = await serveDns(() => null)
    const other = await serveDns((asked) => replyTo(asked))
    const run = dnsRunner({ timeoutMs: 20, resolvers: [`127.0.0.1:${other.port}`] })
    const { failure, detail, responseTimeMs, subjects } = await run(job({ port: silent.port }), runContext())
    expect(failure).toMatchObject({ kind: 'timeout', address: `127.0.0.1:${silent.port}` })
    expect(detail).toMatchObject({ response: null, requestError: failure?.message })
    expect(responseTimeMs).toBeNull()
    expect(subjects).toEqual({})
    expect(other.asked).toEqual([])
  })

  it('goes on to the next resolver when none is named and one fails', async () => {
    const silent = await serveDns(() => null)
    const good = await serveDns((asked) => replyTo(asked, [{ type: 'A', name, ttl: 60, data: '192.0.2.1' }]))
    const resolvers = [refused, `127.0.0.1:${silent.port}`, `127.0.0.1:${good.port}`]
    const run = dnsRunner({ failoverMs: 20, resolvers })
    const { failure, detail } = await run(job({ nameServer: undefined }), guarded())
    expect(failure).toBeNull()
    expect(detail.nameServerInfo).toEqual({ host: '127.0.0.1', port: good.port })
    expect(detail.tried.map((tried) => tried.failure?.kind)).toEqual(['blocked', 'timeout', undefined])
  })

  it('reports the real failure if the policy refuses a later resolver', async () => {
    const silent = await serveDns(() => null)
    const run = dnsRunner({ failoverMs: 20, resolvers: [`127.0.0.1:${silent.port}`, refused] })
    expect((await run(job({ nameServer: undefined }), guarded())).failure).toMatchObject({
      kind: 'timeout',
    })
  })

  it('fails if there is no resolver', async () => {
    const run = dnsRunner({ resolvers: [] })
    expect((await run(job({ nameServer: undefined }), runContext())).failure).toMatchObject({
      code: 'NO_RESOLVER',
    })
  })

  it('finds the address of a name server that is given by name, with its port', async () => {
    const { port } = await serveDns((asked) => replyTo(asked))
    const { failure, detail } = await dnsMonitor.run(job({ nameServer: `localhost:${port}` }), runContext())
    expect(failure).toBeNull()
    expect(detail.nameServerInfo).toEqual({ name: 'localhost', host: '127.0.0.1', port })
  })

  it('fails if the name server has no address', async () => {
    const { failure, detail } = await dnsMonitor.run(job({ nameServer: 'nowhere.invalid' }), runContext())
    expect(failure).toMatchObject({ kind: 'dns', phase: 'dns' })
    expect(detail.nameServerInfo).toBeNull()
  })

  it('does not ask an address that the agent must not reach', async () => {
    const { port, asked } = await serveDns((query) => replyTo(query))
    const context = runContext({ network: networkPolicy({ mode: 'public' }) })
    expect((await dnsMonitor.run(job({ port }), context)).failure).toMatchObject({ kind: 'blocked' })
    expect(asked).toEqual([])
  })

  it('sends names beyond ASCII in their encoded form', async () => {
    const { port, asked } = await serveDns((query) => replyTo(query))
    await dnsMonitor.run(job({ port, query: 'bücher.example' }), runContext())
    await dnsMonitor.run(job({ port, query: '_dmarc.example.com.' }), runContext())
    expect(asked.map(({ query }) => query.questions?.[0]?.name)).toEqual([
      'xn--bcher-kva.example',
      '_dmarc.example.com',
    ])
  })

  it('stops when the run is canceled', async () => {
    const { signal, cancel } = stoppable()
    const silent = await serveDns(() => {
      cancel()
      return null
    })
    const run = dnsRunner({ resolvers: [`127.0.0.1:${silent.port}`, `127.0.0.1:${silent.port}`] })
    const { failure, detail } = await run(job({ nameServer: undefined }), runContext({ signal }))
    expect(failure).toMatchObject({ code: 'CANCELLED' })
    expect(detail.tried).toHaveLength(1)
  })
})
