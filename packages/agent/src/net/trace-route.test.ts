import { createServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { clock, closeListeners, listen, stoppable } from './listeners.fixture.ts'
import { behindRouter, isRoot, router, silent, target, unroutable } from './router.fixture.ts'
import { openTcpProbe } from './tcp-probe.ts'
import { type Trace, traceRoute } from './trace-route.ts'

afterEach(closeListeners)

const context = { signal: new AbortController().signal, monotonic: clock.monotonic }
const isLinux = process.platform === 'linux'

describe.runIf(isLinux)('traceRoute', () => {
  it.each(['127.0.0.1', '::1'])('reaches %s at once, be it to connect', async (address) => {
    const port = await listen(createServer(), address)
    const trace = await traceRoute({ address, port }, context)
    expect(trace).toMatchObject({ protocol: 'TCP', address, port, reached: true, stopped: 'reached' })
    expect(trace.hops).toMatchObject([
      { ttl: 1, address, sent: 3, received: 3, lossPercent: 0, answer: 'connected' },
    ])
    expect(trace.hops[0]?.rttMs?.min).toBeGreaterThan(0)
  })

  it('reaches a port that refuses, which is an answer as well', async () => {
    const port = await listen(createServer())
    await closeListeners()
    const { reached, hops } = await traceRoute({ address: '127.0.0.1', port }, context)
    expect({ reached, hops }).toMatchObject({ reached: true, hops: [{ ttl: 1, answer: 'refused' }] })
  })

  it('stops when it is told to', async () => {
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
  it('tells the router, the target, silence and what can not be reached, without any permission', async ({
    skip,
  }) => {
    const traces = await behindRouter<Trace[]>(
      `const { traceRoute } = await import(${JSON.stringify(new URL('./trace-route.ts', import.meta.url).href)})
      const result = []
      for (const address of ${JSON.stringify([target, silent, unroutable])}) {
        result.push(await traceRoute({ address, port: 9 }, context, { timeoutMs: 300, maxSilent: 3 }))
      }`,
      { asNobody: true },
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
