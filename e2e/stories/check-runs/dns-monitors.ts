import { createDnsMonitor } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { NameServer, type Zone } from '../../target/name-server.ts'

const names: Zone['names'] = {
  'shop.test': {
    A: ['192.0.2.7', '192.0.2.8'],
    AAAA: ['2001:db8::7'],
    MX: ['10 mail.shop.test'],
    TXT: ['v=spf1 -all'],
    NS: ['ns.shop.test'],
  },
  'www.shop.test': { CNAME: ['shop.test'] },
}

export function dnsMonitors(scene: Scene): void {
  const servers: NameServer[] = []
  let server: NameServer
  beforeAll(async () => {
    server = await open()
  })
  afterAll(async () => {
    for (const one of servers) await one.close()
  })

  async function open(): Promise<NameServer> {
    const opened = await NameServer.open({ names })
    servers.push(opened)
    return opened
  }

  async function monitor(port: number, request: object = {}): Promise<string> {
    const check = await scene.account.call(createDnsMonitor, {
      body: {
        name: 'A name',
        ...onDemandOnly,
        locations: ['ap-south-1'],
        doubleCheck: false,
        degradedResponseTime: 2_500,
        maxResponseTime: 5_000,
        request: { query: 'shop.test', recordType: 'A', nameServer: '127.0.0.1', port, ...request },
      },
    })
    return check.id
  }

  it('passes, degrades, fails with the reason, and recovers', async () => {
    const { account } = scene
    const own = await open()
    const id = await monitor(own.port)

    const passed = await account.run(id)
    expect(passed).toMatchObject({ hasFailures: false, isDegraded: false, failure: null })
    expect(passed.dnsCheckResult).toMatchObject({
      nameServerInfo: { host: '127.0.0.1', port: own.port },
      response: { returnCode: 'NOERROR', answer: { Answer: [{ data: '192.0.2.7' }, { data: '192.0.2.8' }] } },
    })
    expect(await account.state(id)).toBe('passing')

    own.zone = { names, delayMs: 2_600 }
    expect(await account.run(id)).toMatchObject({ isDegraded: true, failure: { kind: 'response_time' } })
    expect(await account.state(id)).toBe('degraded')

    own.zone = { names: {} }
    const failed = await account.run(id)
    expect(failed).toMatchObject({ hasFailures: true, failure: { kind: 'dns', code: 'NXDOMAIN' } })
    expect(await account.state(id)).toBe('failing')
    expect(await account.errorMessages(id)).toEqual([failed.failure?.message])

    own.zone = { names }
    expect(await account.run(id)).toMatchObject({ hasFailures: false, failure: null })
    expect(await account.state(id)).toBe('passing')
  })

  it.each([
    ['UDP', 'A', 'shop.test', '192.0.2.7'],
    ['TCP', 'A', 'shop.test', '192.0.2.7'],
    ['UDP', 'AAAA', 'shop.test', '2001:db8::7'],
    ['TCP', 'MX', 'shop.test', '10 mail.shop.test'],
    ['UDP', 'TXT', 'shop.test', 'v=spf1 -all'],
    ['UDP', 'NS', 'shop.test', 'ns.shop.test'],
    ['UDP', 'CNAME', 'www.shop.test', 'shop.test'],
  ])('asks by %s for %s of %s', async (protocol, recordType, query, target) => {
    const assertions = [
      { source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' },
      { source: 'JSON_ANSWER', property: '$.Answer[0].data', comparison: 'CONTAINS', target },
      { source: 'TEXT_ANSWER', comparison: 'CONTAINS', target },
      { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '4000' },
    ]
    const result = await scene.account.run(
      await monitor(server.port, { protocol, recordType, query, assertions }),
    )
    expect(result.dnsCheckResult?.assertions.map(({ error }) => error)).toEqual(Array(4).fill(undefined))
    expect(result).toMatchObject({ hasFailures: false, dnsCheckResult: { response: { protocol } } })
  })

  it('fails on SERVFAIL, and without a response', async () => {
    const ill = await open()
    ill.zone = { names, trouble: 'SERVFAIL' }
    expect(await scene.account.run(await monitor(ill.port))).toMatchObject({
      hasFailures: true,
      failure: { kind: 'dns', phase: 'judge', code: 'SERVFAIL' },
    })
    ill.zone = { names, trouble: 'silence' }
    expect(await scene.account.run(await monitor(ill.port))).toMatchObject({
      hasFailures: true,
      failure: { kind: 'timeout', address: `127.0.0.1:${ill.port}` },
    })
  })

  it('passes on a name that should not exist', async () => {
    const assertions = [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NXDOMAIN' }]
    const id = await monitor(server.port, { query: 'nothing.test', assertions })
    expect(await scene.account.run(id)).toMatchObject({ hasFailures: false })
  })
}
