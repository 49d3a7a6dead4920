import { describe, expect, it } from 'vitest'
import { createRemoteClock } from './remote-clock.ts'

function clockAt(monotonic: number, system: number) {
  const time = { monotonic, system }
  const clock = createRemoteClock(
    () => time.monotonic,
    () => time.system,
  )
  const pass = (ms: number) => {
    time.monotonic += ms
    time.system += ms
  }
  return { clock, time, pass }
}

describe('the clock of another machine', () => {
  it("uses the machine's clock before the first response", () => {
    const { clock, pass } = clockAt(50, 1_000_000)
    expect(clock.offsetMs).toBeNull()
    pass(10)
    expect(clock.now()).toBe(1_000_010)
  })

  it('takes the middle of the round trip', () => {
    const { clock } = clockAt(1_000, 1_000_000)
    clock.sample(1_000, 1_100, 1_005_050)
    expect(clock.offsetMs).toBe(5_000)
    expect(clock.roundTripMs).toBe(100)
    expect(clock.now()).toBe(1_005_000)
  })

  it('trusts the fastest of the last responses, and a long poll the least', () => {
    const { clock } = clockAt(100_000, 1_000_000)
    clock.sample(99_990, 100_000, 1_004_995)
    clock.sample(80_000, 100_000, 1_005_000)
    expect(clock.offsetMs).toBe(5_000)
    expect(clock.roundTripMs).toBe(10)
  })

  it('is not moved by the clock of this machine being set', () => {
    const { clock, time, pass } = clockAt(1_000, 1_000_000)
    clock.sample(1_000, 1_000, 1_000_000)
    time.system += 3_600_000
    pass(500)
    expect(clock.now()).toBe(1_000_500)
    expect(clock.offsetMs).toBe(-3_600_000)
  })

  it('starts over when a sample contradicts the earlier ones', () => {
    const { clock } = clockAt(1_000, 1_000_000)
    clock.sample(1_000, 1_001, 1_000_000)
    clock.sample(1_000, 1_200, 1_060_100)
    expect(clock.offsetMs).toBeCloseTo(60_000, -1)
  })

  it('drops a sample after eight newer ones, however fast it was', () => {
    const { clock } = clockAt(1_000, 1_000_000)
    clock.sample(1_000, 1_001, 1_000_000)
    for (let at = 0; at < 8; at++) clock.sample(1_000, 1_020, 1_000_020)
    expect(clock.roundTripMs).toBe(20)
  })
})
