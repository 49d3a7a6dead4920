import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Capacity, ClaimWaits, leadMs, type QueuedRuns, wakeClaims } from './claim-wait.ts'

const longMs = 60_000
let schedule: QueuedRuns[]
let failure: Error | null
let readings: string[][]
let waits: ClaimWaits
let woken: string[]
/** The share of the servers that hand out runs earlier than this one. */
let shareBefore: number

beforeEach(() => {
  shareBefore = 0
  schedule = []
  failure = null
  readings = []
  woken = []
  waits = new ClaimWaits(
    async (queues) => {
      readings.push(queues)
      if (failure !== null) throw failure
      return schedule.filter(({ queue }) => queues.includes(queue))
    },
    () => 1_000,
    () => shareBefore,
  )
})

function due(queue: string, count: number): QueuedRuns {
  return { queue, dueAt: 900, due: count }
}

function capacityOf(queues: Record<string, number>, ahead: string[] = []): Capacity {
  return { counts: new Map(Object.entries(queues)), ahead: new Set(ahead) }
}

/** Waits until all are woken; the test ends the others. */
function wait(
  name: string,
  queues: Record<string, number>,
  ms = longMs,
  ahead: string[] = [],
): { end(): void; over: Promise<void> } {
  const ended = new AbortController()
  const over = waits
    .wait(capacityOf(queues, ahead), ms, ended.signal)
    .then(() => void (ended.signal.aborted || woken.push(name)))
  return { end: () => ended.abort(), over }
}

describe('claims that wait', () => {
  it('share a reading of the schedule, and the one that waits longest is woken', async () => {
    schedule = [due('eu', 1)]
    const [first, second, other] = [
      wait('first', { eu: 5 }),
      wait('second', { eu: 5 }),
      wait('other', { us: 5 }),
    ]
    await first.over
    expect(woken).toEqual(['first'])
    expect(readings).toEqual([['eu', 'us']])
    // It hasn't claimed yet, so the next one is woken.
    await second.over
    expect(woken).toEqual(['first', 'second'])
    other.end()
    await other.over
  })

  it('are woken until their capacity suffices', async () => {
    schedule = [due('eu', 12)]
    const claims = ['a', 'b', 'c', 'd'].map((name) => wait(name, { eu: 5 }))
    await claims[2]?.over
    expect(woken).toEqual(['a', 'b', 'c'])
    expect(readings).toHaveLength(1)
    claims[3]?.end()
    await claims[3]?.over
  })

  it('are woken by a trigger before the next reading', async () => {
    schedule = [{ queue: 'eu', dueAt: 1_000_000, due: 0 }]
    const claim = wait('claim', { eu: 5 })
    await expect.poll(() => readings.length).toBe(1)
    schedule = [due('eu', 1)]
    wakeClaims()
    await claim.over
    expect(woken).toEqual(['claim'])
  })

  it('that take runs ahead are woken shortly before these are due', async () => {
    schedule = [{ queue: 'eu', dueAt: 1_200, due: 1 }]
    const [patient, early] = [wait('patient', { eu: 5 }), wait('early', { eu: 5 }, longMs, ['eu'])]
    await early.over
    expect(woken).toEqual(['early'])
    patient.end()
    await patient.over
  })

  it('are woken together with the first one whose runs are nearly due', async () => {
    schedule = [
      { queue: 'eu', dueAt: 1_250, due: 1 },
      { queue: 'us', dueAt: 1_000 + leadMs, due: 1 },
      { queue: 'ap', dueAt: 1_001 + leadMs, due: 1 },
    ]
    const later = wait('ap', { ap: 5 }, longMs, ['ap'])
    await Promise.all([
      wait('eu', { eu: 5 }, longMs, ['eu']).over,
      wait('us', { us: 5 }, longMs, ['us']).over,
    ])
    expect(readings).toHaveLength(1)
    expect(woken).toEqual(['eu', 'us'])
    expect(waits.mayBeDue(capacityOf({ eu: 5 }))).toBe(false)
    expect(waits.mayBeDue(capacityOf({ eu: 5 }, ['eu']))).toBe(true)
    later.end()
    await later.over
  })

  it('wait for each other until the first one is nearly due', async () => {
    schedule = [{ queue: 'eu', dueAt: 1_000 + leadMs, due: 1 }]
    const claim = wait('claim', { eu: 5 }, longMs, ['eu'])
    await expect.poll(() => readings.length).toBe(1)
    expect(waits.mayBeDue(capacityOf({ eu: 5 }, ['eu']))).toBe(false)
    expect(woken).toEqual([])
    claim.end()
    await claim.over
  })

  it('are woken later by a server that comes later at their queue, but before it is due', async () => {
    schedule = [{ queue: 'eu', dueAt: 1_300, due: 1 }]
    shareBefore = 0.5
    const claim = wait('claim', { eu: 5 }, longMs, ['eu'])
    await expect.poll(() => readings.length).toBe(1)
    expect(woken).toEqual([])
    schedule = [{ queue: 'eu', dueAt: 1_200, due: 1 }]
    await claim.over
    expect(woken).toEqual(['claim'])
  })

  it('end after their time', async () => {
    await wait('claim', { eu: 5 }, 5).over
    expect(woken).toEqual(['claim'])
  })

  it('fail if the store fails, and later ones do not', async () => {
    failure = new Error('no store')
    await expect(wait('claim', { eu: 5 }).over).rejects.toThrow('no store')
    failure = null
    schedule = [due('eu', 1)]
    await wait('later', { eu: 5 }).over
    expect(woken).toEqual(['later'])
  })
})

describe('whether runs may be due', () => {
  it('is unknown without a reading', () => {
    expect(waits.mayBeDue(capacityOf({ eu: 1 }))).toBe(true)
  })

  it('is known from the last reading, for its queues', async () => {
    schedule = [{ queue: 'eu', dueAt: 1_400, due: 0 }, due('us', 1)]
    const [eu, us] = [wait('eu', { eu: 1 }), wait('us', { us: 1 })]
    await us.over
    expect(waits.mayBeDue(capacityOf({ eu: 1 }))).toBe(false)
    expect(waits.mayBeDue(capacityOf({ eu: 1, us: 1 }))).toBe(true)
    expect(waits.mayBeDue(capacityOf({ ap: 1 }))).toBe(true)
    eu.end()
    await eu.over
  })
})

describe('claims at two servers', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }))
  afterEach(() => void vi.useRealTimers())

  /** Runs become due each second; a claim that is woken takes them, and its agent asks again. Returns who took runs, and how early. */
  async function takenBy(servers: { name: string; shareBefore: number }[], ms: number) {
    const queue = { queue: 'eu', dueAt: 2_000, due: 1 }
    const taken: { name: string; earlyMs: number }[] = []
    const ended = new AbortController()
    const claims = servers.map(async ({ name, shareBefore: share }) => {
      const own = new ClaimWaits(
        async () => [{ ...queue }],
        () => Date.now(),
        () => share,
      )
      while (await own.wait(capacityOf({ eu: 5 }, ['eu']), longMs, ended.signal)) {
        if (queue.dueAt - leadMs > Date.now()) continue
        taken.push({ name, earlyMs: queue.dueAt - Date.now() })
        queue.dueAt += 1_000
      }
    })
    await vi.advanceTimersByTimeAsync(ms)
    ended.abort()
    await Promise.all(claims)
    return taken
  }

  it('are woken by one of them, the first at the queue', async () => {
    const taken = await takenBy(
      [
        { name: 'second', shareBefore: 0.5 },
        { name: 'first', shareBefore: 0 },
      ],
      20_000,
    )
    expect(taken.length).toBeGreaterThanOrEqual(17)
    expect(new Set(taken.map(({ name }) => name))).toEqual(new Set(['first']))
  })

  it('are woken by the other one if the first has no agent, before the runs are due', async () => {
    const taken = await takenBy([{ name: 'second', shareBefore: 0.5 }], 20_000)
    expect(taken.length).toBeGreaterThanOrEqual(17)
    for (const { earlyMs } of taken) expect(earlyMs).toBeGreaterThan(0)
  })
})
