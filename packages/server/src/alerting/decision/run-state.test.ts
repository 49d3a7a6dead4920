import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunState } from './alert-state.ts'
import { play } from './decide.fixture.ts'
import { countedStateOf, isCertainlyFailing, rawStateOf } from './run-state.ts'

const percentages = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]

describe('a run', () => {
  it.each<[RunState, number, number]>([
    ['passing', 0, 0],
    ['degraded', 0, 1],
    ['failing', 1, 0],
    ['failing', 1, 4],
  ])('is %s with %i failed and %i degraded locations', (state, failed, degraded) => {
    expect(rawStateOf({ failed, degraded })).toBe(state)
    const off = { enabled: false, percentage: 100 }
    expect(countedStateOf({ locations: 5, failed, degraded }, off)).toBe(state)
  })
})

describe('a share of the locations', () => {
  // How many of 2, 3 and 5 locations it takes, for each percentage.
  const enough: Record<number, number[]> = {
    2: [1, 1, 1, 1, 1, 2, 2, 2, 2, 2],
    3: [1, 1, 1, 2, 2, 2, 3, 3, 3, 3],
    5: [1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
  }
  const rows = [2, 3, 5].flatMap((locations) =>
    percentages.map((percentage, index) => ({ locations, percentage, needed: enough[locations]![index]! })),
  )

  it.each(rows)('$percentage % of $locations locations are $needed', ({ locations, percentage, needed }) => {
    const threshold = { enabled: true, percentage }
    for (let count = 0; count <= locations; count++) {
      const failing = countedStateOf({ locations, failed: count, degraded: 0 }, threshold)
      const degraded = countedStateOf({ locations, failed: 0, degraded: count }, threshold)
      expect([count, failing, degraded]).toEqual(
        count >= needed ? [count, 'failing', 'degraded'] : [count, 'passing', 'passing'],
      )
    }
  })

  it.each(rows)('$needed of $locations locations send an alert at $percentage %', (row) => {
    const { locations, percentage, needed } = row
    const policy = `${percentage}%`
    const enoughLocations = `0/${locations} ${needed}/${locations} 0/${locations}`
    expect(play(policy, enoughLocations)).toBe('- FAILURE RECOVERY')
    if (needed === 1) return
    const held = `0/${locations} ${needed - 1}/${locations} 0/${locations}`
    expect(play(policy, held)).toBe('- (parallel_threshold) (untold)')
    const fewer = `${needed}/${locations} ${needed - 1}/${locations} ${needed}/${locations}`
    expect(play(policy, fewer)).toBe('FAILURE RECOVERY FAILURE')
  })

  it.each(percentages)('of a single location is that location, at %i %%', (percentage) => {
    const threshold = { enabled: true, percentage }
    expect(countedStateOf({ locations: 1, failed: 1, degraded: 0 }, threshold)).toBe('failing')
    expect(countedStateOf({ locations: 1, failed: 0, degraded: 1 }, threshold)).toBe('degraded')
    expect(countedStateOf({ locations: 1, failed: 0, degraded: 0 }, threshold)).toBe('passing')
  })

  it('counts a failing location towards a degradation that it is not enough to fail', () => {
    const threshold = { enabled: true, percentage: 60 }
    expect(countedStateOf({ locations: 5, failed: 2, degraded: 0 }, threshold)).toBe('passing')
    expect(countedStateOf({ locations: 5, failed: 2, degraded: 1 }, threshold)).toBe('degraded')
    expect(countedStateOf({ locations: 5, failed: 3, degraded: 2 }, threshold)).toBe('failing')
  })

  it.each([
    ['counts runs that reach the share', '2 50%', '3/5 1/5 3/5 3/5', '(threshold) - - FAILURE_REMAIN'],
    ['sends a de-escalation', '1 60%', '3/5 2+1/5 0/5', 'FAILURE FAILURE_DEGRADED DEGRADED_RECOVERY'],
    ['sends an escalation', '5 60%', '2+1/5 3/5 0/5', '(threshold) DEGRADED_FAILURE RECOVERY'],
    ['waits for the time', '5m 50%', '3/5 .9 0/5', '(threshold) @5:FAILURE_REMAIN RECOVERY'],
    ['ends the wait when too few are left', '5m 50%', '3/5 . . 1/5 .9', '(threshold) -'],
    ['reminds until too few are left', '1 50% *5/1', '3/5 .2 1/5 .9', 'FAILURE @1#0 @2#1 @3#2 RECOVERY'],
  ])('%s (%s: %s)', (_, policy, script, expected) => {
    expect(play(policy, script)).toBe(expected)
  })
})

describe('a run of which not all locations are done', () => {
  const parts = fc.constantFrom<'passed' | 'degraded' | 'failed' | 'missing'>(
    'passed',
    'degraded',
    'failed',
    'missing',
  )
  const unfinished = fc.record({
    done: fc.array(fc.constantFrom('passed', 'degraded', 'failed'), { minLength: 1, maxLength: 8 }),
    rest: fc.array(parts, { maxLength: 8 }),
    threshold: fc.record({ enabled: fc.boolean(), percentage: fc.constantFrom(...percentages) }),
  })
  const count = (all: readonly string[], what: string) => all.filter((one) => one === what).length
  const runOf = (all: readonly string[]) => ({
    locations: all.length - count(all, 'missing'),
    failed: count(all, 'failed'),
    degraded: count(all, 'degraded'),
  })

  it('is certainly failing only if it is, however the others end', () => {
    let certain = 0
    fc.assert(
      fc.property(unfinished, ({ done, rest, threshold }) => {
        if (!isCertainlyFailing(runOf(done), done.length + rest.length, threshold)) return
        certain++
        expect(countedStateOf(runOf([...done, ...rest]), threshold)).toBe('failing')
      }),
      { numRuns: 5000 },
    )
    expect(certain).toBeGreaterThan(500)
  })

  it('is certainly failing as soon as it is, even if all others pass', () => {
    fc.assert(
      fc.property(unfinished, ({ done, rest, threshold }) => {
        const worst = [...done, ...rest.map(() => 'passed')]
        const isCertain = isCertainlyFailing(runOf(done), worst.length, threshold)
        expect(isCertain).toBe(countedStateOf(runOf(worst), threshold) === 'failing')
      }),
      { numRuns: 5000 },
    )
  })
})
