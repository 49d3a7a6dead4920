import type { UpcomingCodeRun } from '@vedette/contracts'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HostKind } from './script/host.ts'
import { WarmHosts } from './warm-hosts.ts'

const second = 1_000
const minute = 60 * second
const browser = { style: 'test', usesBrowser: true }
const plain = { style: 'test', usesBrowser: false }

/** Spares that are ready at once, and go when they aren't wanted. */
class StandInHosts {
  spares: HostKind[] = []
  get spareCount(): number {
    return this.spares.length
  }
  keep(wanted: readonly HostKind[]): void {
    this.spares = [...wanted]
  }
}

let byRuntime: Map<string, StandInHosts>
let warm: WarmHosts
beforeEach(() => {
  vi.useFakeTimers()
  byRuntime = new Map()
  warm = new WarmHosts({ capacity: 2, hostsOf: async (runtimeId) => hostsFor(runtimeId) })
})
afterEach(() => {
  warm.close()
  vi.useRealTimers()
})

function hostsFor(runtimeId: string | null): StandInHosts | null {
  if (runtimeId === null) return null
  const known = byRuntime.get(runtimeId) ?? new StandInHosts()
  byRuntime.set(runtimeId, known)
  return known
}

const run = (dueInMs: number, more: Partial<UpcomingCodeRun> = {}): UpcomingCodeRun => ({
  checkId: crypto.randomUUID(),
  type: 'BROWSER',
  runtimeId: '2026.04',
  dueInMs,
  ...more,
})

const sparesOf = (runtimeId = '2026.04') => byRuntime.get(runtimeId)?.spares ?? []
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('hosts that are started ahead of runs', () => {
  it('are of the style that the last run of the check had', async () => {
    const next = run(5 * second)
    warm.expect([next])
    warm.noteRun({ checkId: next.checkId, checkType: 'BROWSER', runtimeId: '2026.04' }, 'plain')
    warm.expect([next])
    await pass(0)
    expect(sparesOf()).toEqual([{ style: 'plain', usesBrowser: true }])
  })

  it('are started some seconds before the run is due, not earlier', async () => {
    warm.expect([run(40 * second)])
    await pass(25 * second)
    expect(sparesOf()).toEqual([])
    await pass(10 * second)
    expect(sparesOf()).toEqual([browser])
  })

  it('are ended when the run was claimed elsewhere or nothing is due any more', async () => {
    warm.expect([run(5 * second)])
    await pass(0)
    expect(sparesOf()).toEqual([browser])
    await pass(30 * second)
    expect(sparesOf()).toEqual([])
    expect(warm.facts().spares).toBe(0)
  })

  it('are there for an hourly check at each of its slots, and for no longer than seconds', async () => {
    let warmMs = 0
    for (let hour = 0; hour < 3; hour++) {
      // Claims name it only within the last minute.
      for (let left = 60 * minute; left > 0; left -= 20 * second) {
        warm.expect(left <= minute ? [run(left)] : [])
        await pass(second)
        if (sparesOf().length > 0) warmMs += 20 * second
        await pass(19 * second)
      }
      expect(sparesOf()).toEqual([browser])
      warm.noteTaken(true)
      byRuntime.get('2026.04')?.keep([])
      warm.expect([])
    }
    expect(warm.facts().hits).toBe(3)
    expect(warmMs).toBeLessThanOrEqual(minute)
  })

  it('are as many as runs are due, up to the capacity, for the runtime and the type of each', async () => {
    warm.expect([run(1_000, { type: 'MULTI_STEP' }), run(2_000, { runtimeId: '2025.04' }), run(3_000)])
    await pass(0)
    expect(sparesOf()).toEqual([plain])
    expect(sparesOf('2025.04')).toEqual([browser])
  })

  it('wait for runs that have no free capacity yet', async () => {
    for (let tick = 0; tick < 60; tick++) {
      warm.expect([run(-tick * second)])
      await pass(second)
      expect(sparesOf()).toEqual([browser])
    }
  })

  it('are none for suites, which bring their own packages', async () => {
    warm.expect([run(0, { type: 'PLAYWRIGHT', runtimeId: null })])
    await pass(minute)
    expect(byRuntime.size).toBe(0)
  })

  it('use the latest list, also while an earlier one still waits for its runtime', async () => {
    const slow = Promise.withResolvers<StandInHosts>()
    const hosts = new StandInHosts()
    const seen: number[] = []
    const late = new WarmHosts({
      capacity: 2,
      hostsOf: (runtimeId) => (runtimeId === 'slow' ? slow.promise : Promise.resolve(hosts)),
    })
    late.expect([run(0, { runtimeId: 'slow' })])
    late.expect([run(0)])
    await pass(0)
    seen.push(hosts.spareCount)
    const other = new StandInHosts()
    slow.resolve(other)
    await pass(0)
    expect([...seen, other.spareCount]).toEqual([1, 0])
    late.close()
  })

  it('follow a run for two minutes if the server is of an earlier release', async () => {
    warm.noteRun({ checkId: 'any', checkType: 'BROWSER', runtimeId: '2026.04' }, 'test')
    await pass(110 * second)
    expect(sparesOf()).toEqual([browser])
    await pass(20 * second)
    expect(sparesOf()).toEqual([])
    warm.expect([])
    warm.noteRun({ checkId: 'any', checkType: 'BROWSER', runtimeId: '2026.04' }, 'test')
    await pass(second)
    expect(sparesOf()).toEqual([])
  })
})
