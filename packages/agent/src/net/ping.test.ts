import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { clock, stoppable } from './listeners.fixture.ts'
import { ping, pingMethods, pingMode } from './ping.ts'
import { openPingSocket } from './ping-socket.ts'

const forbidden: typeof pingMethods = pingMethods.map(({ mode, ping }) => ({
  mode,
  ping,
  refusal: async () => `${mode} is forbidden here`,
}))

const context = { signal: new AbortController().signal, monotonic: clock.monotonic }
const plan = (address: string, count: number) => ({ address, count, intervalMs: 200, timeoutMs: 10_000 })

const hosts = [
  ['127.0.0.1', 4, 0],
  ['::1', 6, 129],
] as const
const cases = pingMethods.flatMap((way) =>
  hosts.map(([address, family, type]) => ({ way, mode: way.mode, address, family, type })),
)

describe('ping', () => {
  it.for(cases)(
    "by $mode gets every packet back from $address, or explains why it isn't permitted",
    async ({ way, address, family, type }) => {
      const reason = await way.refusal(family)
      if (reason !== null) return expect(reason).toMatch(/\w/)
      const { results, failure } = await way.ping(plan(address, 2), context)
      expect(failure).toBeNull()
      expect(results).toEqual(
        [0, 1].map((sequence) => ({
          sequence,
          type,
          code: 0,
          success: true,
          rtt: expect.any(Number),
          ttl: expect.any(Number),
        })),
      )
    },
  )

  it('keeps runs at the same time apart', async () => {
    const { mode, hint } = await pingMode()
    if (mode === null) return expect(hint).toContain('ping_group_range')
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => ping({ ...plan('127.0.0.1', 3), intervalMs: 5 }, context)),
    )
    for (const { results, failure } of runs) {
      expect(failure).toBeNull()
      expect(results.map(({ success }) => success)).toEqual([true, true, true])
    }
  })

  it('stops when the run is canceled, with the results so far', async () => {
    const { mode, hint } = await pingMode()
    if (mode === null) return expect(hint).toContain('ping_group_range')
    const { signal, cancel } = stoppable()
    setImmediate(cancel)
    const { failure } = await ping({ ...plan('127.0.0.1', 2), intervalMs: 60_000 }, { ...context, signal })
    expect(failure).toMatchObject({ kind: 'internal', code: 'CANCELLED' })
    const late = await ping(plan('127.0.0.1', 1), { ...context, signal })
    expect(late).toMatchObject({ results: [], failure: { code: 'CANCELLED' } })
  })

  it('explains what to set if no method works', async () => {
    const { results, failure, mode } = await ping(plan('127.0.0.1', 1), context, forbidden)
    expect(mode).toBeNull()
    expect(results).toEqual([])
    expect(failure).toMatchObject({ kind: 'internal', phase: 'setup', code: 'PING_NOT_PERMITTED' })
    expect(failure?.message).toContain('raw-socket: raw-socket is forbidden here')
    expect(failure?.message).toContain('sysctl -w net.ipv4.ping_group_range="0 2147483647"')
  })
})

describe('pingMode', () => {
  it('names the first way that works, and why those before it do not', async () => {
    const methods = [
      ...forbidden.slice(0, 1),
      ...pingMethods.slice(1).map((way) => ({ ...way, refusal: async () => null })),
    ]
    expect(await pingMode(4, methods)).toEqual({
      mode: 'raw-socket',
      refusals: [{ mode: 'ping-socket', reason: 'ping-socket is forbidden here' }],
      hint: null,
    })
  })

  it('has a hint when none works', async () => {
    const { mode, refusals, hint } = await pingMode(6, forbidden)
    expect(mode).toBeNull()
    expect(refusals).toHaveLength(3)
    expect(hint).toContain('ping_group_range')
  })
})

describe('openPingSocket', () => {
  it('throws the code of the system, and leaves no descriptor', async () => {
    const descriptors = () => readdirSync('/proc/self/fd').length
    const [type] = (['ping-socket', 'raw-socket'] as const).filter(() => process.platform === 'linux')
    if (!type) return
    await pingMode()
    const before = descriptors()
    const attempts = 50
    for (let made = 0; made < attempts; made++)
      await expect(
        openPingSocket(type, { address: 'nonsense', token: Buffer.alloc(8) }, () => {}),
      ).rejects.toMatchObject({ code: expect.stringMatching(/^E/) })
    // Other tests of this process open and close some too.
    expect(descriptors()).toBeLessThan(before + attempts / 2)
  })
})
