import { checkTypeNames, RetryStrategy } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { type FailedAttempt, retryAfter } from './retry.ts'

const start = Date.UTC(2026, 10, 15)

function attempt(change: Partial<FailedAttempt> = {}): FailedAttempt {
  return {
    checkType: 'API',
    strategy: null,
    doubleCheck: false,
    runParallel: false,
    attempt: 1,
    failure: { kind: 'assertion', phase: 'judge' },
    startedAt: start,
    now: start + 2_000,
    locations: ['us-east-1', 'eu-west-1', 'office'],
    location: 'eu-west-1',
    random: () => 0,
    ...change,
  }
}

const strategy = (input: z.input<typeof RetryStrategy>) => RetryStrategy.parse(input)

/** The delays in seconds until a strategy gives up, each attempt taking no time. */
function delaysOf(input: z.input<typeof RetryStrategy>, change: Partial<FailedAttempt> = {}): number[] {
  const delays: number[] = []
  let now = start
  for (let tried = 1; tried <= 20; tried++) {
    const retry = retryAfter(attempt({ strategy: strategy(input), attempt: tried, now, ...change }))
    if (retry === null) return delays
    delays.push(retry.delayMs / 1000)
    now += retry.delayMs
  }
  throw new Error('never gives up')
}

describe('the delays', () => {
  it.each<[string, z.input<typeof RetryStrategy>, number[]]>([
    ['the default: FIXED, 60 seconds, twice', {}, [60, 60]],
    ['FIXED', { type: 'FIXED', baseBackoffSeconds: 5, maxRetries: 3 }, [5, 5, 5]],
    ['FIXED at once', { type: 'FIXED', baseBackoffSeconds: 0, maxRetries: 10 }, new Array(10).fill(0)],
    ['LINEAR', { type: 'LINEAR', baseBackoffSeconds: 5, maxRetries: 4 }, [5, 10, 15, 20]],
    ['EXPONENTIAL', { type: 'EXPONENTIAL', baseBackoffSeconds: 5, maxRetries: 3 }, [5, 25, 125]],
    ['EXPONENTIAL of 1', { type: 'EXPONENTIAL', baseBackoffSeconds: 1, maxRetries: 3 }, [1, 1, 1]],
    ['EXPONENTIAL of 0', { type: 'EXPONENTIAL', baseBackoffSeconds: 0, maxRetries: 2 }, [0, 0]],
    ['SINGLE_RETRY', { type: 'SINGLE_RETRY', baseBackoffSeconds: 7 }, [7]],
    ['SINGLE_RETRY without a limit of time', { type: 'SINGLE_RETRY', baseBackoffSeconds: 3600 }, [3600]],
    ['a fraction of a second', { type: 'FIXED', baseBackoffSeconds: 0.25, maxRetries: 1 }, [0.25]],
    ['within the default duration', { baseBackoffSeconds: 60, maxRetries: 10 }, new Array(10).fill(60)],
    [
      'the duration reached exactly',
      { baseBackoffSeconds: 50, maxRetries: 9, maxDurationSeconds: 100 },
      [50, 50],
    ],
    ['the duration exceeded', { baseBackoffSeconds: 50, maxRetries: 9, maxDurationSeconds: 99 }, [50]],
    ['LINEAR in 600 s', { type: 'LINEAR', baseBackoffSeconds: 60, maxRetries: 10 }, [60, 120, 180, 240]],
    ['EXPONENTIAL in 600 s', { type: 'EXPONENTIAL', baseBackoffSeconds: 5, maxRetries: 10 }, [5, 25, 125]],
    [
      'EXPONENTIAL longer than the duration',
      { type: 'EXPONENTIAL', baseBackoffSeconds: 3600, maxRetries: 10 },
      [],
    ],
    ['a duration of zero', { baseBackoffSeconds: 1, maxDurationSeconds: 0 }, []],
  ])('%s', (_, input, expected) => {
    expect(delaysOf(input)).toEqual(expected)
  })

  it('include the time of the runs in the duration', () => {
    const fixed = strategy({ baseBackoffSeconds: 10, maxDurationSeconds: 30 })
    expect(retryAfter(attempt({ strategy: fixed, now: start + 20_000 }))?.delayMs).toBe(10_000)
    expect(retryAfter(attempt({ strategy: fixed, now: start + 20_001 }))).toBeNull()
  })

  it('count no time if the clock was set back', () => {
    const fixed = strategy({ baseBackoffSeconds: 30, maxDurationSeconds: 30 })
    expect(retryAfter(attempt({ strategy: fixed, now: start - 5_000 }))?.delayMs).toBe(30_000)
  })

  it('have the limits of the contract if a stored strategy lacks them', () => {
    const stored = { type: 'FIXED', baseBackoffSeconds: 200, sameRegion: true } as const
    const tries = [1, 2, 3].map((n) => retryAfter(attempt({ strategy: stored, attempt: n, now: start })))
    expect(tries.map((retry) => retry?.delayMs ?? null)).toEqual([200_000, 200_000, null])
    expect(retryAfter(attempt({ strategy: stored, now: start + 400_001 }))).toBeNull()
  })
})

describe('no retry', () => {
  it.each<[string, Partial<FailedAttempt>]>([
    ['after a run that passed', { failure: null, strategy: strategy({}) }],
    ['without a strategy and doubleCheck', {}],
    ['after the last of maxRetries', { strategy: strategy({ maxRetries: 1 }), attempt: 2 }],
    ['after a single retry', { strategy: strategy({ type: 'SINGLE_RETRY' }), attempt: 2 }],
    ['when a session allows none', { strategy: { ...strategy({}), maxRetries: 0 } }],
  ])('%s', (_, change) => {
    expect(retryAfter(attempt(change))).toBeNull()
  })

  it.each(checkTypeNames)('depends on the type of the check: %s', (checkType) => {
    const hasRetries = !['HEARTBEAT', 'PLAYWRIGHT', 'AGENTIC'].includes(checkType)
    expect(retryAfter(attempt({ checkType, strategy: strategy({}) })) !== null).toBe(hasRetries)
    expect(retryAfter(attempt({ checkType, doubleCheck: true })) !== null).toBe(hasRetries)
  })
})

describe('doubleCheck', () => {
  it('retries once, at once, from another location', () => {
    expect(retryAfter(attempt({ doubleCheck: true }))).toEqual({ delayMs: 0, location: 'us-east-1' })
    expect(retryAfter(attempt({ doubleCheck: true, attempt: 2 }))).toBeNull()
  })

  it('ends after ten minutes like any other', () => {
    expect(retryAfter(attempt({ doubleCheck: true, now: start + 600_000 }))).not.toBeNull()
    expect(retryAfter(attempt({ doubleCheck: true, now: start + 600_001 }))).toBeNull()
  })

  it('is ignored if there is a strategy', () => {
    const retry = retryAfter(attempt({ doubleCheck: true, strategy: strategy({ baseBackoffSeconds: 9 }) }))
    expect(retry).toEqual({ delayMs: 9_000, location: 'eu-west-1' })
  })
})

describe('the location', () => {
  const otherRegion = strategy({ sameRegion: false })

  it.each<[string, Partial<FailedAttempt>, string]>([
    ['is the same by default', { strategy: strategy({}) }, 'eu-west-1'],
    ['is another one with sameRegion false', { strategy: otherRegion }, 'us-east-1'],
    ['is a random one of the others', { strategy: otherRegion, random: () => 0.999 }, 'office'],
    ['is the same when there is no other', { strategy: otherRegion, locations: ['eu-west-1'] }, 'eu-west-1'],
    ['is the same when the check has no locations', { strategy: otherRegion, locations: [] }, 'eu-west-1'],
    ['is one of the list when its own was removed', { strategy: otherRegion, locations: ['lab'] }, 'lab'],
    ['is always the same with runParallel', { strategy: otherRegion, runParallel: true }, 'eu-west-1'],
    ['is the same with runParallel and doubleCheck', { doubleCheck: true, runParallel: true }, 'eu-west-1'],
  ])('%s', (_, change, expected) => {
    expect(retryAfter(attempt(change))?.location).toBe(expected)
  })
})

describe('onlyOn NETWORK_ERROR', () => {
  const network = strategy({ onlyOn: ['NETWORK_ERROR'] })

  it.each<[FailedAttempt['failure'] & object, boolean]>([
    [{ kind: 'dns', phase: 'dns' }, true],
    [{ kind: 'connect', phase: 'connect' }, true],
    [{ kind: 'connect', phase: 'wait' }, true],
    [{ kind: 'tls', phase: 'tls' }, true],
    [{ kind: 'timeout', phase: 'dns' }, true],
    [{ kind: 'timeout', phase: 'connect' }, true],
    [{ kind: 'timeout', phase: 'wait' }, true],
    [{ kind: 'protocol', phase: 'wait' }, true],
    [{ kind: 'timeout', phase: 'receive' }, false],
    [{ kind: 'timeout', phase: 'setup' }, false],
    [{ kind: 'protocol', phase: 'receive' }, false],
    [{ kind: 'redirect', phase: 'receive' }, false],
    [{ kind: 'status', phase: 'judge' }, false],
    [{ kind: 'body', phase: 'receive' }, false],
    [{ kind: 'assertion', phase: 'judge' }, false],
    [{ kind: 'response_time', phase: 'judge' }, false],
    [{ kind: 'script', phase: 'setup' }, false],
    [{ kind: 'blocked', phase: 'connect' }, false],
    [{ kind: 'internal', phase: 'setup' }, false],
  ])('%o: %s', (failure, isRetried) => {
    for (const checkType of ['API', 'URL'] as const) {
      expect(retryAfter(attempt({ checkType, strategy: network, failure })) !== null).toBe(isRetried)
    }
  })

  it('does not apply to types without an HTTP status', () => {
    expect(retryAfter(attempt({ checkType: 'TCP', strategy: network }))).not.toBeNull()
  })

  it('is off when the list is empty', () => {
    expect(retryAfter(attempt({ strategy: strategy({ onlyOn: [] }) }))).not.toBeNull()
  })
})
