import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { clock, closeListeners, listen, stoppable } from './listeners.fixture.ts'
import { openTcpProbe } from './probes.ts'
import {
  behindRouter,
  behindTwoRouters,
  far,
  isRoot,
  router,
  silent,
  target,
  unroutable,
} from './router.fixture.ts'
import { type Trace, type TraceOptions, type TraceProtocol, traceRoute } from './trace-route.ts'

afterEach(closeListeners)

const context = { signal: new AbortController().signal, monotonic: clock.monotonic }
const isLinux = process.platform === 'linux'

describe.runIf(isLinux)('traceRoute', () => {
  it.each(['127.0.0.1', '::1'])('reaches %s by a connection', async (address) => {
    const port = await listen(createServer(), address)
    const trace = await traceRoute({ address, port }, context)
    expect(trace).toMatchObject({ protocol: 'TCP', address, port, reached: true, stopped: 'reached' })
    expect(trace.hops).toMatchObject([
      { ttl: 1, address, sent: 3, received: 3, lossPercent: 0, answer: 'connected' },
    ])
    expect(trace.hops[0]?.rttMs?.min).toBeGreaterThan(0)
  })

  it.each(['UDP', 'ICMP'] as const)('reaches this machine by %s', async (protocol) => {
    const trace = await traceRoute({ address: '127.0.0.1', port: 9, protocol }, context)
    expect(trace).toMatchObject({
      protocol,
      reached: true,
      hops: [{ ttl: 1, address: '127.0.0.1', received: 3 }],
    })
  })

  it('reaches a port that refuses the connection', async () => {
    const port = await listen(createServer())
    await closeListeners()
    const { reached, hops } = await traceRoute({ address: '127.0.0.1', port }, context)
    expect({ reached, hops }).toMatchObject({ reached: true, hops: [{ ttl: 1, answer: 'refused' }] })
  })

  it('stops when it is aborted', async () => {
    const { signal, cancel } = stoppable()
    cancel()
    const trace = await traceRoute({ address: '127.0.0.1', port: 9 }, { ...context, signal })
    expect(trace).toMatchObject({ reached: false, stopped: 'time' })
  })

  it('leaves no handle behind', async () => {
    const port = await listen(createServer())
    const before = process.getActiveResourcesInfo().toSorted()
    await traceRoute({ address: '127.0.0.1', port }, context)
    const probe = await openTcpProbe({ address: '127.0.0.1', port, ttl: 1, timeoutMs: 10 })
    probe.close()
    await closeListeners()
    await expect
      .poll(() => process.getActiveResourcesInfo().filter((kind) => kind === 'UDPWrap'))
      .toEqual(before.filter((kind) => kind === 'UDPWrap'))
  })
})

describe.runIf(isRoot)('behind a router', () => {
  it('distinguishes the router, the target, silence and unreachable addresses, without any permission', async ({
    skip,
  }) => {
    const traces = await behindRouter<Trace[]>(
      `const { traceRoute } = await import(${JSON.stringify(new URL('./trace-route.ts', import.meta.url).href)})
      const result = []
      for (const address of ${JSON.stringify([target, silent, unroutable])}) {
        result.push(await traceRoute({ address, port: 9 }, context, { timeoutMs: 1_500, maxSilent: 3 }))
      }`,
      { isUnprivileged: true },
    )
    if (typeof traces === 'string') return skip(traces)
    const first = { ttl: 1, address: router, sent: 3, received: 3, answer: 'hop' }
    expect(traces).toMatchObject([
      { reached: true, hops: [first, { ttl: 2, address: target, received: 3, answer: 'refused' }] },
      {
        reached: false,
        stopped: 'silence',
        hops: [first, { ttl: 2, address: null, lossPercent: 100 }, {}, {}],
      },
      { reached: false, stopped: 'unreachable', hops: [{ ttl: 1, address: router, answer: 'unreachable' }] },
    ])
  })
})

const moduleUrl = JSON.stringify(new URL('./trace-route.ts', import.meta.url).href)

function tracing(protocol: TraceProtocol, options: TraceOptions): string {
  const target = { address: far.target, port: 33_434, protocol }
  return `const { traceRoute } = await import(${moduleUrl})
  const result = await traceRoute(${JSON.stringify(target)}, context, ${JSON.stringify(options)})`
}

describe.runIf(isRoot)('behind two routers', () => {
  it.each(['TCP', 'UDP', 'ICMP'] as const)('finds every hop by %s', async (protocol) => {
    const trace = await behindTwoRouters<Trace>(tracing(protocol, { timeoutMs: 2_000 }))
    expect(trace).toMatchObject({
      protocol,
      reached: true,
      stopped: 'reached',
      hops: [
        { ttl: 1, address: far.first, sent: 3, received: 3, lossPercent: 0, answer: 'hop' },
        { ttl: 2, address: far.second, received: 3, answer: 'hop' },
        { ttl: 3, address: far.target, received: 3, answer: protocol === 'ICMP' ? 'connected' : 'refused' },
      ],
    })
  })

  it('sends UDP probes without any permission', async () => {
    const script = tracing('UDP', { timeoutMs: 2_000 })
    const trace = await behindTwoRouters<Trace>(script, { isUnprivileged: true })
    expect(trace).toMatchObject({ reached: true, hops: [{}, {}, { address: far.target }] })
  })

  // Of 20 packets, none or all are lost once in 500,000 runs.
  it('measures the loss on the path', async () => {
    const script = tracing('UDP', { timeoutMs: 150, probes: 20, maxSilent: 28 })
    const trace = await behindTwoRouters<Trace>(script, { lossy: 'forward' })
    if (typeof trace === 'string') throw new Error(trace)
    expect(trace.hops).toMatchObject([
      { address: far.first },
      { address: far.second },
      { address: far.target },
    ])
    const loss = trace.hops[2]?.lossPercent
    expect(loss).toBeGreaterThan(0)
    expect(loss).toBeLessThan(100)
  })

  it('reaches the target behind a router that rarely replies', async () => {
    const script = tracing('UDP', { timeoutMs: 150, probes: 20 })
    const trace = await behindTwoRouters<Trace>(script, { lossy: 'output' })
    if (typeof trace === 'string') throw new Error(trace)
    expect(trace).toMatchObject({
      reached: true,
      hops: [{}, { address: far.second }, { address: far.target }],
    })
    expect(trace.hops[1]?.lossPercent).toBeGreaterThan(0)
  })
})
