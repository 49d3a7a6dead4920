import { checkTypes } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import type { CheckOf, RunContext } from '../checks/runner.ts'
import { type TracerouteDetail, tracerouteRunner } from '../checks/traceroute.ts'
import { closeDnsServers, replyTo, serveDns } from '../net/dns-server.fixture.ts'
import { runContext } from '../net/listeners.fixture.ts'
import { behindTwoRouters, far, isRoot } from '../net/router.fixture.ts'
import { metricsOf } from './reported-result.ts'
import { type RunOutcome, runMonitor } from './run-monitor.ts'

afterEach(closeDnsServers)

const isLinux = process.platform === 'linux'
const settingsOf = (request: object) => checkTypes.TRACEROUTE.input.shape.request.parse(request)

async function run(request: object, over: Partial<RunContext> = {}) {
  const check = checkTypes.TRACEROUTE.input.parse({ name: 'Path', request })
  const outcome = await runMonitor(
    {
      check: check as unknown as CheckOf<'TRACEROUTE'>,
      variables: {},
      secrets: [],
      setup: [],
      teardown: [],
      snippets: [],
    },
    runContext(over),
  )
  return { ...outcome, detail: outcome.detail as TracerouteDetail }
}

describe.runIf(isLinux)('a traceroute monitor', () => {
  it.each(['TCP', 'UDP', 'ICMP'])('reaches this machine by %s', async (protocol) => {
    const { outcome, detail, responseTimeMs } = await run({
      url: '127.0.0.1',
      protocol,
      port: 9,
      ptrLookup: false,
    })
    expect(outcome).toBe('passed')
    expect(detail).toMatchObject({
      totalHops: 1,
      destinationReached: true,
      requestError: null,
      response: {
        hostname: '127.0.0.1',
        resolvedIp: '127.0.0.1',
        protocol,
        truncationReason: null,
        unknownHops: 0,
        packetLoss: 0,
        hops: [{ hop_number: 1, main_ip: '127.0.0.1', main_host: null, loss_percentage: 0, packets_sent: 5 }],
      },
    })
    const { avg, best, worst, stdDev } = detail.finalHopLatency ?? {}
    expect(responseTimeMs).toBe(avg)
    expect(metricsOf('TRACEROUTE', { responseTimeMs, detail })).toEqual([avg, 1, 0, best, worst, stdDev, 0])
  })

  it('asserts on hops, loss and the times of the destination', async () => {
    const assertions = [
      { source: 'HOP_COUNT', comparison: 'EQUALS', target: '1' },
      { source: 'PACKET_LOSS', comparison: 'LESS_THAN', target: '5' },
      { source: 'RESPONSE_TIME', property: 'max', comparison: 'LESS_THAN', target: '10000' },
      { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '10000' },
      { source: 'RESPONSE_TIME', property: 'min', comparison: 'LESS_THAN', target: '0' },
      { source: 'HOP_COUNT', comparison: 'GREATER_THAN', target: '5' },
    ]
    const judged = await run({ url: '127.0.0.1', ptrLookup: false, assertions })
    expect(judged.outcome).toBe('failed')
    expect(judged.assertions.map(({ error }) => error?.slice(0, 35))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'Expected the response time to be le',
      'Expected the number of hops to be g',
    ])
  })

  // Not 127.0.0.1: the hosts file has its name.
  it('looks up the names of hops', async () => {
    const { port } = await serveDns((asked) => {
      const name = asked.query.questions?.[0]?.name ?? ''
      return replyTo(asked, [{ type: 'PTR', name, data: 'home.test' }])
    })
    const runner = tracerouteRunner({ probes: 1, servers: [`127.0.0.1:${port}`] })
    const { detail } = await runner(settingsOf({ url: '127.0.0.5' }), runContext())
    expect(detail.response?.hops).toMatchObject([{ main_ip: '127.0.0.5', main_host: 'home.test' }])
  })

  it('fails for a name that does not resolve, and for an address that the agent refuses', async () => {
    const lookup = async () => []
    expect(await run({ url: 'nowhere.test' }, { lookup })).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'dns' },
      detail: { response: null },
    })
    expect(await run({ url: '127.0.0.1' }, { network: networkPolicy({ mode: 'public' }) })).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'blocked' },
    })
  })
})

/** A script for another network namespace: runs a monitor, and its `result` is the outcome. */
function runScript(request: object): string {
  const check = checkTypes.TRACEROUTE.input.parse({ name: 'Path', request })
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href)
  return `const { runMonitor } = await import(${module('./run-monitor.ts')})
  const { runContext } = await import(${module('../net/listeners.fixture.ts')})
  const run = { check: ${JSON.stringify(check)}, variables: {}, secrets: [], setup: [], teardown: [], snippets: [] }
  const result = await runMonitor(run, runContext())`
}

describe.runIf(isRoot)('a traceroute monitor behind two routers', () => {
  it('shows every hop', async () => {
    const request = { url: far.target, protocol: 'UDP', ptrLookup: false }
    const outcome = await behindTwoRouters<RunOutcome>(runScript(request))
    expect(outcome).toMatchObject({
      outcome: 'passed',
      detail: {
        totalHops: 3,
        response: { hops: [{ main_ip: far.first }, { main_ip: far.second }, { main_ip: far.target }] },
      },
    })
  })

  it('fails if the destination is too far away, and reports the last hop', async () => {
    const request = { url: far.target, protocol: 'ICMP', maxHops: 2, ptrLookup: false }
    const outcome = await behindTwoRouters<RunOutcome>(runScript(request))
    expect(outcome).toMatchObject({
      outcome: 'failed',
      failure: { code: 'MAX_HOPS', message: expect.stringContaining(`was ${far.second}, hop 2`) },
      detail: { destinationReached: false, response: { truncationReason: 'MAX_HOPS', packetLoss: 100 } },
    })
  })

  it('ends after too many hops without a reply', async () => {
    const request = { url: '10.77.3.9', protocol: 'UDP', maxUnknownHops: 2, ptrLookup: false }
    const outcome = await behindTwoRouters<RunOutcome>(runScript(request))
    expect(outcome).toMatchObject({
      outcome: 'failed',
      detail: {
        destinationReached: false,
        response: { hops: [{ main_ip: far.first }, { main_ip: far.second }, { main_ip: null }, {}] },
      },
    })
  })
})
