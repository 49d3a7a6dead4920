import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeDnsServers, type DnsHandler, replyTo, serveDns } from './dns-server.fixture.ts'
import { stoppable } from './listeners.fixture.ts'
import { ownLookup, searchRules } from './own-lookup.ts'
import { osLookup, resolveHost } from './resolve.ts'

afterEach(closeDnsServers)

const { signal } = new AbortController()
let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'resolve-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const records: Record<string, string> = {
  'app.test': '127.0.0.5',
  'app.inner.test': '127.0.0.6',
  'db.inner.test': '127.0.0.7',
}

const nxdomain = 3
const handler: DnsHandler = (asked) => {
  const [question] = asked.query.questions ?? []
  const data = question?.type === 'A' ? records[question.name.toLowerCase()] : undefined
  if (data) return replyTo(asked, [{ type: 'A', name: question?.name ?? '', ttl: 300, data }])
  return replyTo(asked, [], question && records[question.name] ? 0 : nxdomain)
}

async function ownWith(hosts: string, resolvConf = '', answer = handler) {
  const { port, asked } = await serveDns(answer)
  const hostsFile = join(folder, 'hosts')
  const settings = join(folder, 'resolv.conf')
  writeFileSync(hostsFile, hosts)
  writeFileSync(settings, resolvConf)
  const lookup = ownLookup({ servers: [`127.0.0.1:${port}`], hostsFile, resolvConf: settings })
  const names = () => asked.map(({ query }) => query.questions?.[0]?.name)
  return { lookup, names, hostsFile }
}

describe('resolveHost', () => {
  it('returns an address unchanged, without a query', async () => {
    const lookup = () => expect.fail('asked')
    expect(await resolveHost('[::1]', 'IPv4', signal, lookup)).toEqual(['::1'])
  })

  it('gives each address once', async () => {
    const lookup = async () => ['127.0.0.1', '127.0.0.2', '127.0.0.1']
    expect(await resolveHost('twice.test', 'IPv4', signal, lookup)).toEqual(['127.0.0.1', '127.0.0.2'])
  })

  it.each([
    ['gone.test', 'IPv4', 'ENOTFOUND', /^The name gone\.test couldn't be resolved \(IPv4, ENOTFOUND\)\.$/],
    ['app.test', 'IPv6', 'ENODATA', /no address of this family \(IPv6, ENODATA\)\.$/],
    [`${'a'.repeat(64)}.test`, 'IPv4', 'ENOTFOUND', /couldn't be resolved/],
  ] as const)('explains why %s has no address for %s: %s', async (host, family, code, message) => {
    const { lookup } = await ownWith('')
    const failure = await resolveHost(host, family, signal, lookup)
    expect(failure).toMatchObject({
      kind: 'dns',
      phase: 'dns',
      code,
      message: expect.stringMatching(message),
    })
  })

  it.each([
    [2, 'ESERVFAIL'],
    [5, 'EREFUSED'],
  ])('reports a resolver’s code %d as %s', async (code, name) => {
    const { lookup } = await ownWith('', '', (asked) => replyTo(asked, [], code))
    expect(await resolveHost('app.test', 'IPv4', signal, lookup)).toMatchObject({ kind: 'dns', code: name })
  })

  it('stops at once at the time limit, and leaves no query open', async () => {
    const { signal: stop, timeout } = stoppable()
    const { lookup } = await ownWith('', '', () => {
      timeout()
      return null
    })
    const failure = await resolveHost('app.test', 'IPv4', stop, lookup)
    expect(failure).toMatchObject({ kind: 'timeout', phase: 'dns', code: 'TIMEOUT' })
    await expect.poll(() => process.getActiveResourcesInfo()).not.toContain('QueryReqWrap')
  })
})

describe("the agent's own lookup", () => {
  it('reads the hosts file before it asks, and reads it again when it has changed', async () => {
    const { lookup, names, hostsFile } = await ownWith(
      '127.0.0.9 Listed.test other # comment\n::1 listed.test\n',
    )
    expect(await lookup('listed.TEST.', 'IPv4', signal)).toEqual(['127.0.0.9'])
    expect(await lookup('other', 'IPv4', signal)).toEqual(['127.0.0.9'])
    expect(await lookup('listed.test', 'IPv6', signal)).toEqual(['::1'])
    writeFileSync(hostsFile, '127.0.0.10 listed.test\n127.0.0.11 listed.test\n')
    expect(await lookup('listed.test', 'IPv4', signal)).toEqual(['127.0.0.10', '127.0.0.11'])
    expect(names()).toEqual([])
  })

  it.each([
    ['localhost', 'IPv4', '127.0.0.1'],
    ['LOCALHOST', 'IPv6', '::1'],
    ['app.localhost', 'IPv4', '127.0.0.1'],
  ] as const)('knows %s without asking', async (name, family, address) => {
    const { lookup, names } = await ownWith('')
    expect(await lookup(name, family, signal)).toEqual([address])
    expect(names()).toEqual([])
  })

  it('queries every time, since a cached reply would hide a change', async () => {
    const { lookup, names } = await ownWith('')
    expect(await lookup('app.test', 'IPv4', signal)).toEqual(['127.0.0.5'])
    expect(await lookup('app.test', 'IPv4', signal)).toEqual(['127.0.0.5'])
    expect(names()).toEqual(['app.test', 'app.test'])
  })

  it.each([
    ['db', 'search inner.test\n', '127.0.0.7', ['db.inner.test']],
    ['app.test', 'search inner.test\n', '127.0.0.5', ['app.test']],
    ['app', 'search no.test inner.test', '127.0.0.6', ['app.no.test', 'app.inner.test']],
    ['db', 'domain inner.test\noptions ndots:5', '127.0.0.7', ['db.inner.test']],
    ['app.test', 'search inner.test\noptions ndots:5', '127.0.0.5', ['app.test.inner.test', 'app.test']],
    ['app.test.', 'search inner.test\noptions ndots:5', '127.0.0.5', ['app.test']],
  ])('looks up %s with the settings "%s"', async (name, settings, address, asked) => {
    const { lookup, names } = await ownWith('', settings)
    expect(await lookup(name, 'IPv4', signal)).toEqual([address])
    expect(names()).toEqual(asked)
  })

  it('has 500 questions in the air at the same time', async () => {
    // No query is answered before all have arrived, so a lookup that queues them would never end.
    const waiting: (() => void)[] = []
    const { createSocket } = await import('node:dgram')
    const { decode, encode } = await import('dns-packet')
    const server = createSocket({ type: 'udp4', recvBufferSize: 4_000_000 })
    server.on('message', (data, from) => {
      const query = decode(data)
      const reply = replyTo({ query, protocol: 'UDP' }, [
        { type: 'A', name: query.questions?.[0]?.name ?? '', data: '127.0.0.1' },
      ])
      waiting.push(() => server.send(encode(reply), from.port, from.address))
      if (waiting.length >= 500) for (const answer of waiting.splice(0)) answer()
    })
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve))
    const lookup = ownLookup({ servers: [`127.0.0.1:${server.address().port}`], timeoutMs: 20_000 })
    const names = Array.from({ length: 500 }, (_, index) => `name-${index}.test`)
    const found = await Promise.all(names.map((name) => lookup(name, 'IPv4', signal)))
    expect(new Set(found.flat())).toEqual(new Set(['127.0.0.1']))
    server.close()
  })
})

describe('searchRules', () => {
  it.each([
    ['', { search: [], ndots: 1 }],
    [
      'search a.test b.test # c\n;options ndots:9\noptions timeout:1 ndots:2',
      { search: ['a.test', 'b.test'], ndots: 2 },
    ],
    ['domain a.test\nsearch .', { search: [], ndots: 1 }],
    ['options ndots:99', { search: [], ndots: 15 }],
  ])('reads %j', (text, rules) => {
    expect(searchRules(text)).toEqual(rules)
  })
})

it('can ask the operating system instead', async () => {
  expect(await resolveHost('localhost', 'IPv4', signal, osLookup)).toEqual(['127.0.0.1'])
})
