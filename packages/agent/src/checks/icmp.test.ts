import { readdirSync } from 'node:fs'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { describe, expect, it } from 'vitest'
import type { PingResult } from '../net/echo.ts'
import { runContext } from '../net/listeners.fixture.ts'
import { type pingMethods, pingMode } from '../net/ping.ts'
import { type IcmpSettings, icmpRunner, latencyOf } from './icmp.ts'

const job = (over: Partial<IcmpSettings>) =>
  ({
    hostname: '127.0.0.1',
    ipFamily: 'IPv4',
    pingCount: 3,
    assertions: [],
    ...over,
  }) as IcmpSettings

const run = icmpRunner({ intervalMs: 200, timeoutMs: 10_000 })

const reply = (sequence: number, rtt: number): PingResult => {
  return { sequence, type: 0, code: 0, success: true, rtt, ttl: 64 }
}
const lost = (sequence: number, error?: string): PingResult => {
  return { sequence, type: null, code: null, success: false, rtt: null, ttl: null, ...(error && { error }) }
}

/** A ping method with these results. */
const seeing = (...results: PingResult[]): (typeof pingMethods)[number] => {
  return { mode: 'raw-socket', refusal: async () => null, ping: async () => ({ results, failure: null }) }
}

describe('runIcmp', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', 'IPv4'],
    ['localhost', '127.0.0.1', 'IPv4'],
    ['::1', '::1', 'IPv6'],
    ['[::1]', '::1', 'IPv6'],
  ] as const)('pings %s', async (hostname, resolvedIp, ipFamily) => {
    const { mode, hint } = await pingMode(ipFamily === 'IPv6' ? 6 : 4)
    const { failure, detail, responseTimeMs, subjects } = await run(job({ hostname, ipFamily }), runContext())
    if (mode === null) {
      expect(failure?.message).toContain(hint)
      return
    }
    expect(failure).toBeNull()
    expect(detail.mode).toBe(mode)
    expect(detail.response).toMatchObject({
      hostname,
      resolvedIp,
      ipFamily,
      pingCount: 3,
      packetsSent: 3,
      packetsReceived: 3,
      packetSize: 64,
      packetLoss: 0,
      dnsResolutionTime: expect.any(Number),
      pingResults: [{ sequence: 0 }, { sequence: 1 }, { sequence: 2 }],
    })
    expect(responseTimeMs).toEqual(expect.any(Number))
    expect(subjects.LATENCY).toEqual({ kind: 'named', values: detail.response?.latency })
    expect(subjects.JSON_RESPONSE).toEqual({ kind: 'json', value: detail.response })
  })

  it('takes lost packets as an observation that others judge', async () => {
    const lossy = icmpRunner({ methods: [seeing(reply(0, 2), lost(1), reply(2, 4))] })
    const { failure, detail, responseTimeMs } = await lossy(job({}), runContext())
    expect(failure).toBeNull()
    expect(responseTimeMs).toBe(3)
    expect(detail.response).toMatchObject({ packetsSent: 3, packetsReceived: 2, packetLoss: 33.33 })
  })

  it('has no latency when nothing came back', async () => {
    const { failure, detail, responseTimeMs, subjects } = await icmpRunner({
      methods: [seeing(lost(0), lost(1))],
    })(job({}), runContext())
    expect(failure).toBeNull()
    expect(responseTimeMs).toBeNull()
    expect(detail.response).toMatchObject({ packetLoss: 100, latency: { avg: null } })
    expect(Object.keys(subjects)).toEqual(['JSON_RESPONSE'])
  })

  it('reports the error of the network if there is no reply', async () => {
    const methods = [seeing(lost(0), lost(1, 'EHOSTUNREACH'))]
    const { failure, detail } = await icmpRunner({ methods })(job({}), runContext())
    expect(failure).toMatchObject({ kind: 'connect', code: 'EHOSTUNREACH', address: '127.0.0.1' })
    expect(detail.response?.packetLoss).toBe(100)
  })

  it("explains what to set if this agent isn't permitted to ping", async () => {
    const methods = [{ ...seeing(), refusal: async () => 'this process lacks CAP_NET_RAW' }]
    const { failure, detail, subjects } = await icmpRunner({ methods })(job({}), runContext())
    expect(failure).toMatchObject({ kind: 'internal', code: 'PING_NOT_PERMITTED' })
    expect(failure?.message).toMatch(/CAP_NET_RAW.*ping_group_range/)
    expect(detail).toMatchObject({ response: null, mode: null, requestError: failure?.message })
    expect(subjects).toEqual({})
  })

  it('fails for a name without an address', async () => {
    const { failure } = await run(job({ hostname: 'nowhere.invalid' }), runContext())
    expect(failure).toMatchObject({ kind: 'dns', phase: 'dns' })
  })

  it('does not ping where the agent must not', async () => {
    const { failure } = await run(job({}), runContext({ network: networkPolicy({ mode: 'public' }) }))
    expect(failure).toMatchObject({ kind: 'blocked', code: 'BLOCKED_ADDRESS' })
  })

  it('leaves no handle behind', async () => {
    const quick = icmpRunner({ intervalMs: 1, timeoutMs: 10_000 })
    await quick(job({}), runContext())
    const handles = () => process.getActiveResourcesInfo().filter((name) => name === 'UDPWrap').length
    const descriptors = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0)
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    await turn()
    const before = [handles(), descriptors()]
    for (let round = 0; round < 10; round++) await quick(job({ pingCount: 1 }), runContext())
    await turn()
    expect([handles(), descriptors()]).toEqual(before)
  })
})

describe('latencyOf', () => {
  it.each([
    [[reply(0, 2), reply(1, 4), lost(2)], { avg: 3, min: 2, max: 4, stdDev: 1 }],
    [[reply(0, 5)], { avg: 5, min: 5, max: 5, stdDev: 0 }],
    [[lost(0)], { avg: null, min: null, max: null, stdDev: null }],
  ])('sums up %j', (results, latency) => {
    expect(latencyOf(results)).toEqual(latency)
  })
})
