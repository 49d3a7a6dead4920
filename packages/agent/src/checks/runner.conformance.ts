// What every runner guarantees: it always returns in time, reports failures as data, and leaves no handle open.
import { getEventListeners } from 'node:events'
import {
  type Failure,
  failureKinds,
  failurePhases,
  nameMetrics,
  type Observation,
  responseTimeMetrics,
} from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterEach, describe, expect, it } from 'vitest'
import { closeListeners, runContext, stoppable } from '../net/listeners.fixture.ts'
import { closeSilentPorts } from '../net/silent-port.fixture.ts'
import { metricsOf } from '../run/reported-result.ts'
import { runCheck } from '../run/run.ts'
import { closeUdpServers, type Hostile, openConnections } from './hostile.fixture.ts'

import type { NetworkCheck, RunContext } from './runner.ts'
import { observe } from './runners.ts'

export interface Conforming {
  name: string
  checkType: NetworkCheck['checkType']
  /** The settings of a check of 127.0.0.1 at this port; `secret` where the type can have one. */
  request(port: number, secret: string): Record<string, unknown>
  /** A server that never responds, and hostile ones; none for types without a server. */
  silent: (() => Promise<Hostile>) | null
  hostile: [string, () => Promise<Hostile>][]
  /** Any response is a success. */
  takesAnything?: boolean
}

/** Enough for a response over loopback. */
const patienceMs = 150

export function conformsToRunner(subject: Conforming): void {
  const checkOf = (port: number, secret = 'open') => {
    const request = { assertions: [], ...subject.request(port, secret) }
    return { checkType: subject.checkType, request } as unknown as NetworkCheck
  }
  const run = (port: number, over: Partial<RunContext> = {}) => observe(checkOf(port), runContext(over))
  const silent = subject.silent ?? (async () => ({ port: 9, met: Promise.resolve() }))

  describe(`${subject.name}: a runner`, () => {
    afterEach(closeAll)

    it.each([
      ['it times out', 'timeout', 'timeout'],
      ['the run is called off', 'cancel', 'internal'],
    ] as const)('stops when %s, in the middle and before it begins', async (_, how, kind) => {
      const stop = stoppable()
      const { port, met } = await silent()
      const running = run(port, { signal: stop.signal })
      await met
      setImmediate(stop[how])
      const { failure } = await running
      expectWellFormed(failure)
      expect(failure.kind).toBe(kind)
      expect(failure.code).toMatch(kind === 'internal' ? /^CANCELLED$/ : /TIMEOUT$/)
      const { failure: early } = await run(port, { signal: stop.signal })
      expectWellFormed(early)
      expect(early?.kind).toBe(kind)
      expect(getEventListeners(stop.signal, 'abort')).toEqual([])
    })

    it.each(subject.hostile)('copes with a server that %s', async (_, open) => {
      // What the test before left is gone first: nothing else in this process opens connections.
      await expectReleased()
      const { port } = await open()
      const sockets = ownSockets()
      const signal = limited()
      const observation = await run(port, { signal })
      if (!signal.aborted) expect(getEventListeners(signal, 'abort')).toEqual([])
      // Before the servers close, which would close a forgotten connection too.
      await expect.poll(ownSockets).toBe(sockets)
      if (!subject.takesAnything || observation.failure) {
        expectWellFormed(observation.failure)
        expect(observation.failure.kind).not.toBe('internal')
        expect(observation.failure.address).toBe(`127.0.0.1:${port}`)
      }
      expectWellFormedObservation(observation)
      expectTimesAgree(subject.checkType, observation)
      await closeAll()
      await expectReleased()
    })

    it('connects to nothing that the rules refuse', async () => {
      const { port } = await silent()
      const network = networkPolicy({ mode: 'public' })
      const { failure } = await run(port, { network })
      expect(failure).toMatchObject({ kind: 'blocked', code: 'BLOCKED_ADDRESS' })
      expect(failure?.address).toMatch(/^127\.0\.0\.1/)
    })

    it('says what is wrong with a name that does not resolve', async () => {
      const lookup = () => Promise.reject(Object.assign(new Error('gone'), { code: 'ENOTFOUND' }))
      const check = checkOf(9)
      const named = JSON.parse(JSON.stringify(check).replaceAll('127.0.0.1', 'gone.test')) as NetworkCheck
      const observation = await observe(named, runContext({ lookup }))
      const { failure } = observation
      expectWellFormed(failure)
      expectTimesAgree(subject.checkType, observation)
      expect(failure).toMatchObject({ kind: 'dns', phase: 'dns', code: 'ENOTFOUND' })
      expect(failure?.message).toContain('gone.test')
    })

    it('lets no secret out, whatever it meets', async () => {
      const secret = 'S3cret/with "odd" & signs'
      const servers = subject.hostile.length > 0 ? subject.hostile.map(([, open]) => open) : [silent]
      const outcomes = await Promise.all(
        servers.map(async (open) => {
          const { port } = await open()
          const check = { ...checkOf(port, secret), shouldFail: false } as NetworkCheck
          const context = runContext({ signal: limited() })
          return runCheck({ check, variables: {}, secrets: [secret] }, context)
        }),
      )
      const text = JSON.stringify(outcomes)
      expect(outcomes.every(({ failure }) => failure?.kind !== 'internal')).toBe(true)
      expect(text).not.toContain('S3cret')
      expect(text).not.toContain(Buffer.from('S3cret').toString('base64').slice(0, 8))
    })
  })
}

function limited(): AbortSignal {
  const { signal, timeout } = stoppable()
  setTimeout(timeout, patienceMs).unref()
  return signal
}

async function closeAll(): Promise<void> {
  await closeListeners()
  closeSilentPorts()
  closeUdpServers()
}

function expectWellFormed(failure: Failure | null): asserts failure is Failure {
  expect(failure).not.toBeNull()
  expect(failureKinds).toContain(failure?.kind)
  expect(failurePhases).toContain(failure?.phase)
  expect(failure?.message).toMatch(/^.{3,10000}$/s)
  expect(failure?.code).toMatch(/^[\w]+$/)
}

function expectWellFormedObservation({
  startedAt,
  durationMs,
  responseTimeMs,
  failure,
  detail,
}: Observation) {
  expect(startedAt).toBeGreaterThan(0)
  expect(durationMs).toBeGreaterThanOrEqual(responseTimeMs ?? 0)
  if (failure) expect(responseTimeMs).toBeNull()
  expect((detail as { requestError: unknown }).requestError).toBe(failure?.message ?? null)
  expect(JSON.parse(JSON.stringify(detail))).toEqual(detail)
}

/** The response time of a result and the metric of it are one number, or both absent. */
function expectTimesAgree(checkType: NetworkCheck['checkType'], observation: Observation) {
  const named = nameMetrics(checkType, metricsOf(checkType, observation))
  const metric = responseTimeMetrics[checkType] ?? 'latencyAvg'
  expect(named[metric]).toBe(observation.responseTimeMs)
}

const ownSockets = () =>
  process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length - openConnections()

/** Left by other files of this process, or by a test that failed for it: no further test waits for it. */
let left = resources()

async function expectReleased(): Promise<void> {
  try {
    await expect.poll(() => without(resources(), left)).toEqual([])
  } finally {
    left = resources()
  }
}

function without(all: string[], known: readonly string[]): string[] {
  const rest = [...known]
  return all.filter((kind) => {
    const index = rest.indexOf(kind)
    if (index !== -1) rest.splice(index, 1)
    return index === -1
  })
}

/** Those of connections, lookups and pings; timers of vitest come and go. */
function resources(): string[] {
  const kinds =
    /^(TCPSocketWrap|TLSWrap|UDPWrap|QueryReqWrap|GetAddrInfoReqWrap|TCPConnectWrap|Zlib|ProcessWrap)$/
  return process
    .getActiveResourcesInfo()
    .filter((kind) => kinds.test(kind))
    .toSorted()
}
