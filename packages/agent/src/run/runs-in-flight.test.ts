import type { Job, ReportedResult } from '@vedette/contracts'
import { describe, expect, it, vi } from 'vitest'
import { jobExample } from '../connection/agent-server.fixture.ts'
import type { AgentWaits } from '../core/agent-waits.ts'
import { brokenResult } from './reported-result.ts'
import { type RunJob, RunsInFlight } from './runs-in-flight.ts'

function runsAt(time: { now: number }, runJob: RunJob) {
  const results: ReportedResult[] = []
  const runs = new RunsInFlight({
    capacity: { network: 10, code: 1 },
    runJob,
    monotonic: () => time.now,
    abandon: (job, startedAt, { message }) =>
      brokenResult(job, { startedAt, durationMs: time.now - startedAt }, message),
    onFinish: (_token, result) => results.push(result),
  })
  return { runs, results }
}

const script = { name: 'a script', script: '' }
const never = () => new Promise<ReportedResult>(() => undefined)

describe('runs in flight', () => {
  it('that are handed out early start when they are due, unless they were cancelled', async () => {
    vi.useFakeTimers()
    try {
      const started: string[] = []
      const { runs, results } = runsAt({ now: 1_000 }, (job) => {
        started.push(job.runId)
        return never()
      })
      const jobs = ['due', 'early', 'cancelled'].map((runId) => jobExample('http://127.0.0.1:1', { runId }))
      for (const [index, job] of jobs.entries()) runs.start(job, index * 1_000)
      expect(started).toEqual(['due'])
      expect(runs.size).toBe(3)
      expect(runs.free().network).toBe(7)
      runs.cancel(['cancelled'])
      expect(results).toMatchObject([{ outcome: 'cancelled' }])
      await vi.advanceTimersByTimeAsync(5_000)
      expect(started).toEqual(['due', 'early'])
    } finally {
      vi.useRealTimers()
    }
  })

  it('that were handed out early never seem to have begun before their time', async () => {
    const { runs, results } = runsAt({ now: 0 }, async (job) =>
      brokenResult(job, { startedAt: 4_990, durationMs: 0 }, ''),
    )
    runs.start(jobExample('http://127.0.0.1:1', { startAt: 5_000 }))
    while (runs.size > 0) await runs.waitForChange(new AbortController().signal)
    expect(results).toMatchObject([{ startedAt: 5_000 }])
  })

  it('are not charged for what they wait for their agent', () => {
    const time = { now: 1_000 }
    const given: { waits?: AgentWaits | undefined; signal?: AbortSignal } = {}
    const { runs } = runsAt(time, (_job, signal, waits) => {
      Object.assign(given, { signal, waits })
      return never()
    })
    runs.start(jobExample('http://127.0.0.1:1'))
    const end = given.waits?.begin()
    time.now += 600_000
    runs.sweep()
    expect(given.signal?.aborted).toBe(false)
    end?.()
    time.now += 45_000
    runs.sweep()
    expect(given.signal?.aborted).toBe(false)
    time.now += 1
    runs.sweep()
    expect(given.signal?.reason).toMatchObject({ name: 'TimeoutError' })
  })

  it.each([
    ['without scripts', {}, 45_000],
    ['with three scripts', { setup: [script, script], teardown: [script] }, 75_000],
    ['of a browser check', { checkType: 'BROWSER' }, 300_000, 30_000],
    ['of a multi-step check', { checkType: 'MULTI_STEP' }, 300_000, 30_000],
    ['of an agentic check', { checkType: 'AGENTIC' }, 660_000, 30_000],
    ['of a suite', { checkType: 'PLAYWRIGHT' }, 2_400_000, 30_000],
  ] satisfies [string, Partial<Job>, number, number?][])(
    "are aborted at their limit, and abandoned if they don't end: %s",
    (_name, changes, limitMs, graceMs = 5_000) => {
      const time = { now: 1_000 }
      let reasons: unknown
      const { runs, results } = runsAt(time, (_job, signal) => {
        signal.addEventListener('abort', () => {
          reasons = signal.reason
        })
        return never()
      })
      runs.start(jobExample('http://127.0.0.1:1', changes))
      time.now += limitMs
      runs.sweep()
      expect(reasons).toBeUndefined()
      time.now += 1
      runs.sweep()
      expect(reasons).toMatchObject({ name: 'TimeoutError' })
      time.now += graceMs - 1
      runs.sweep()
      expect(runs.size).toBe(1)
      time.now += 1
      runs.sweep()
      expect(runs.size).toBe(0)
      expect(results).toMatchObject([
        {
          outcome: 'error',
          failure: { kind: 'internal', message: expect.stringContaining('exceeded its time limit') },
        },
      ])
      runs.sweep()
      expect(results).toHaveLength(1)
    },
  )

  it('free their capacity if a run throws, and report it once', async () => {
    const { runs, results } = runsAt({ now: 0 }, () => Promise.reject(new Error('a bug')))
    runs.start(jobExample('http://127.0.0.1:1', { setup: [script] }))
    runs.start(jobExample('http://127.0.0.1:1', { setup: [script] }))
    expect(runs.free()).toEqual({ network: 8, code: 1 })
    while (runs.size > 0) await runs.waitForChange(new AbortController().signal)
    expect(runs.free()).toEqual({ network: 10, code: 1 })
    expect(results.map(({ failure }) => failure?.message)).toEqual(['a bug', 'a bug'])
  })

  it('count no time against a run that waits for its turn', () => {
    const time = { now: 0 }
    const { runs, results } = runsAt(time, never)
    runs.start(jobExample('http://127.0.0.1:1', { setup: [script] }))
    time.now = 30_000
    runs.start(jobExample('http://127.0.0.1:1', { setup: [script] }))
    time.now = 60_001
    runs.sweep()
    time.now = 65_000
    runs.sweep()
    expect(results).toHaveLength(1)
    expect(runs.size).toBe(1)
    time.now = 100_000
    runs.sweep()
    expect(results).toHaveLength(1)
  })

  it('of code and of the network have separate capacities', () => {
    const started: string[] = []
    const { runs } = runsAt({ now: 0 }, (job) => {
      started.push(job.checkType)
      return never()
    })
    runs.start(jobExample('http://127.0.0.1:1', { checkType: 'PLAYWRIGHT' }))
    expect(runs.free()).toEqual({ network: 10, code: 0 })
    runs.start(jobExample('http://127.0.0.1:1', { checkType: 'BROWSER' }))
    // The scripts of an API check do not wait for half an hour of a suite.
    runs.start(jobExample('http://127.0.0.1:1', { setup: [script] }))
    runs.start(jobExample('http://127.0.0.1:1'))
    expect(started).toEqual(['PLAYWRIGHT', 'API', 'API'])
    expect(runs.free()).toEqual({ network: 8, code: 0 })
    expect(runs.tokens()).toHaveLength(4)
  })

  it('start when a run of the same kind ends, in their order', async () => {
    const started: string[] = []
    const ends: (() => void)[] = []
    const { runs } = runsAt({ now: 0 }, (job) => {
      started.push(job.checkType)
      return new Promise((resolve) =>
        ends.push(() => resolve(brokenResult(job, { startedAt: 0, durationMs: 0 }, ''))),
      )
    })
    for (const checkType of ['BROWSER', 'MULTI_STEP', 'AGENTIC'] as const)
      runs.start(jobExample('http://127.0.0.1:1', { checkType }))
    runs.start(jobExample('http://127.0.0.1:1', { setup: [script] }))
    expect(started).toEqual(['BROWSER', 'API'])
    const changed = runs.waitForChange(new AbortController().signal)
    ends[1]?.()
    await changed
    expect(started).toEqual(['BROWSER', 'API'])
    const changedAgain = runs.waitForChange(new AbortController().signal)
    ends[0]?.()
    await changedAgain
    expect(started).toEqual(['BROWSER', 'API', 'MULTI_STEP'])
  })

  it('that are cancelled end as cancelled, whether they run or wait for their turn', () => {
    const reasons: unknown[] = []
    const { runs, results } = runsAt({ now: 0 }, (_job, signal) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason))
      return never()
    })
    const running = jobExample('http://127.0.0.1:1', { checkType: 'PLAYWRIGHT' })
    const waiting = jobExample('http://127.0.0.1:1', { checkType: 'PLAYWRIGHT' })
    runs.start(running)
    runs.start(waiting)
    runs.cancel([running.runId, waiting.runId])
    expect(reasons).toMatchObject([{ name: 'AbortError' }])
    expect(results).toMatchObject([{ outcome: 'cancelled', token: waiting.token }])
    expect(runs.tokens()).toEqual([running.token])
  })
})
