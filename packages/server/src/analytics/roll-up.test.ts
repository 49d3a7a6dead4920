import { randomUUID } from 'node:crypto'
import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount } from '../storage/accounts/first-account.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { insertResults, type SomeResult } from '../testing/results.ts'
import { insertTestCheck } from './check.fixture.ts'
import { buildSeries } from './report.ts'
import type { ReportQuery } from './report-query.ts'
import { rollUpClosedHours } from './roll-up.ts'
import { Sketch } from './sketch.ts'

let database: TestDatabase
let accountId: string
let checkId: string
beforeAll(async () => {
  database = await createTestDatabase()
  accountId = (await createAccount(database.store.db, 'An account')).id
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.store.pool.query('delete from rollup_pending')
  checkId = await insertTestCheck(database.store.db, accountId)
})

const hour = Date.UTC(2026, 4, 5, 22)
const later = hour + 2 * dayMs

type Given = Omit<SomeResult, 'accountId' | 'checkId' | 'scheduledAt'> & { at?: number; slot?: number }

/** Recorded at `slot`, or `at` milliseconds after the begin of the hour. */
async function record(...results: Given[]): Promise<void> {
  await insertResults(
    database.store,
    results.map(({ at = 0, slot = hour + at, ...given }) => ({
      accountId,
      checkId,
      scheduledAt: slot,
      ...given,
    })),
    later,
  )
}

interface StoredRollup {
  grain: string
  at: string
  location: string
  dimension: string
  outcome: string
  runs: number
  degraded: number
  retries: number
  sketches: Buffer[]
}

async function rollups(): Promise<StoredRollup[]> {
  const { rows } = await database.store.pool.query<StoredRollup>(
    `select grain, bucket_at as at, location, dimension, outcome, runs, degraded, retries, sketches from rollups
     where check_id = $1 order by grain, bucket_at, location, dimension, outcome`,
    [checkId],
  )
  return rows
}

async function pendingHours(): Promise<string[]> {
  const { rows } = await database.store.pool.query<{ hour: string }>(
    'select hour from rollup_pending where check_id = $1 order by hour',
    [checkId],
  )
  return rows.map((row) => row.hour)
}

const rollUp = (now = later, options = {}) => rollUpClosedHours(database.store.pool, now, options)

describe('rolling up an hour', () => {
  it('sums up final runs per location, status code and outcome', async () => {
    const failed = { hasFailures: true, statusCode: 500 }
    await record(
      { at: 1, metrics: [10, 1, 2, 3, 4, 5] },
      { at: 2, metrics: [30, null, null, null, null, null], isDegraded: true, attempt: 3 },
      { at: 3, ...failed, metrics: [] },
      { at: 4, ...failed, hasErrors: true },
      { at: 5, location: 'us-east-1', statusCode: null },
    )
    expect(await rollUp()).toBe(1)
    const hours = (await rollups()).filter(({ grain }) => grain === 'hour')
    const shared = { grain: 'hour', at: new Date(hour).toISOString(), degraded: 0, retries: 0, runs: 1 }
    expect(hours.map(({ sketches, ...row }) => row)).toEqual([
      {
        ...shared,
        location: 'eu-west-1',
        dimension: '200',
        outcome: 'success',
        runs: 2,
        degraded: 1,
        retries: 2,
      },
      { ...shared, location: 'eu-west-1', dimension: '500', outcome: 'error' },
      { ...shared, location: 'eu-west-1', dimension: '500', outcome: 'failure' },
      { ...shared, location: 'us-east-1', dimension: '', outcome: 'success' },
    ])
    const sketches = (hours[0]?.sketches ?? []).map((bytes) => Sketch.decode(bytes))
    expect(sketches.map(({ count, sum }) => [count, sum])).toEqual([
      [2, 40],
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
      [1, 5],
    ])
  })

  it('counts neither attempts nor canceled runs', async () => {
    await record({ resultType: 'ATTEMPT', hasFailures: true }, { at: 1 }, { at: 2, isCancelled: true })
    await rollUp()
    expect((await rollups()).map(({ grain, runs }) => [grain, runs])).toEqual([
      ['day', 1],
      ['hour', 1],
    ])
  })

  it('leaves out missing measurements', async () => {
    await record({ metrics: [Number.NaN, -1, null, 1e30, 0, 1] })
    await rollUp()
    const [row] = await rollups()
    expect(row?.sketches.map((bytes) => Sketch.decode(bytes).count)).toEqual([0, 0, 0, 0, 1, 1])
  })

  it('deletes the mark, and nothing is left to do', async () => {
    await record({})
    expect(await rollUp()).toBe(1)
    expect(await pendingHours()).toEqual([])
    expect(await rollUp()).toBe(0)
  })

  it('waits until two minutes after the hour', async () => {
    await record({})
    expect(await rollUp(hour + hourMs + 2 * minuteMs - 1)).toBe(0)
    expect(await pendingHours()).toHaveLength(1)
    expect(await rollUp(hour + hourMs + 2 * minuteMs)).toBe(1)
  })

  it('takes the oldest hours first, in batches', async () => {
    await record({}, { at: hourMs }, { at: 3 * hourMs })
    let turns = 0
    expect(await rollUp(later, { batch: 1, isStopping: () => ++turns > 2 })).toBe(2)
    expect(await pendingHours()).toEqual([new Date(hour + 3 * hourMs).toISOString()])
  })

  it('is repeated for a late result, also for its day', async () => {
    await record({}, { at: hourMs })
    await rollUp()
    await record({ at: 5, hasFailures: true, statusCode: 200 }, { at: 6 })
    expect(await rollUp()).toBe(1)
    expect((await rollups()).map(({ grain, outcome, runs }) => [grain, outcome, runs])).toEqual([
      ['day', 'failure', 1],
      ['day', 'success', 3],
      ['hour', 'failure', 1],
      ['hour', 'success', 2],
      ['hour', 'success', 1],
    ])
  })

  it('keeps rollups of deleted results', async () => {
    await record({})
    await rollUp()
    await record({ at: 5 })
    await rollUp(later, { keptSince: hour + hourMs })
    expect(await pendingHours()).toEqual([])
    expect((await rollups()).map(({ runs }) => runs)).toEqual([1, 1])
  })
})

describe('rolling up days', () => {
  it('adds the hours of a day to it one by one', async () => {
    const midnight = hour + 2 * hourMs
    await record({ at: 0, metrics: [5] }, { at: hourMs, metrics: [7] }, { slot: midnight, metrics: [9] })
    for (const end of [1, 2, 3]) await rollUp(hour + end * hourMs + 2 * minuteMs)
    const days = (await rollups()).filter(({ grain }) => grain === 'day')
    expect(days.map(({ at, runs, sketches }) => [at, runs, Sketch.decode(sketches[0]!).sum])).toEqual([
      ['2026-05-05T00:00:00.000Z', 2, 12],
      ['2026-05-06T00:00:00.000Z', 1, 9],
    ])
  })
})

describe('coverage', () => {
  async function coverage() {
    const { rows } = await database.store.pool.query(
      'select location, executed, skipped, lag from coverage where check_id = $1 order by location',
      [checkId],
    )
    return rows.map(({ lag, ...row }) => ({ ...row, lag: lag && Sketch.decode(lag) }))
  }

  it('counts the final runs of the schedule and how late each began', async () => {
    const runId = randomUUID()
    await record(
      { at: 10, startedAt: hour + 10 + 400 },
      { at: 20, startedAt: hour + 15 },
      // The first attempt determines the start of the run.
      { at: 30, runId, resultType: 'ATTEMPT', startedAt: hour + 30 + 100 },
      { at: 30, runId, attempt: 2, startedAt: hour + 30 + 60_000 },
      { at: 40, source: 'session' },
      { at: 50, location: 'us-east-1', hasErrors: true, startedAt: hour + 50 },
    )
    await rollUp()
    const [europe, america] = await coverage()
    expect(europe).toMatchObject({ location: 'eu-west-1', executed: 3, skipped: 0 })
    expect(europe?.lag).toMatchObject({ count: 3, min: 0, max: 400, sum: 500 })
    expect(america).toMatchObject({ location: 'us-east-1', executed: 1 })
  })

  it('does not change skipped and missed counts', async () => {
    await record({})
    await rollUp()
    await database.store.pool.query(`update coverage set skipped = 4 where check_id = $1`, [checkId])
    await record({ at: 9 })
    await rollUp()
    expect(await coverage()).toMatchObject([{ executed: 2, skipped: 4 }])
  })
})

describe('several servers', () => {
  it('roll up each hour once', async () => {
    await record(...Array.from({ length: 12 }, (_, n) => ({ slot: hour + n * hourMs })))
    const rolledUp = await Promise.all([1, 2, 3].map(() => rollUp(later, { batch: 2 })))
    const rest = await rollUp()
    expect(rolledUp.reduce((a, b) => a + b, rest)).toBe(12)
    expect(await pendingHours()).toEqual([])
    const hours = (await rollups()).filter(({ grain }) => grain === 'hour')
    expect(hours.map(({ runs }) => runs)).toEqual(Array(12).fill(1))
  })

  it('wait for a transaction that marks an hour', async () => {
    await record({})
    let rollingUp: Promise<number> | undefined
    await inTransaction(database.store.pool, async (client) => {
      await client.query('update rollup_pending set touched_at = now() where check_id = $1', [checkId])
      rollingUp = rollUp()
    })
    expect(await rollingUp).toBe(1)
    expect(await pendingHours()).toEqual([])
  })
})

describe('a reader', () => {
  it('sees every run exactly once while hours are recorded and rolled up', async () => {
    const query: ReportQuery = {
      accountId,
      checkId,
      checkType: 'API',
      range: { from: hour - 3 * dayMs, to: hour + 3 * dayMs },
      metrics: ['availability', 'responseTime_sum'],
      keptSince: 0,
    }
    const total = async () =>
      (await buildSeries(database.store.pool, query))[0]?.rows[0]?.responseTime_sum ?? 0
    let recorded = 0
    const read: number[] = []
    let isDone = false
    const reading = (async () => {
      while (!isDone) read.push(Number(await total()))
    })()
    // On a busy machine, reads may take longer than writes.
    for (let turn = 0; turn < 12 || read.length <= 5; turn++) {
      await record(
        ...Array.from({ length: 5 }, (_, n) => ({
          slot: hour + ((turn * 5 + n) % 7) * hourMs + turn,
          metrics: [1],
        })),
      )
      recorded += 5
      if (turn % 2 === 0) await rollUp()
    }
    isDone = true
    await reading
    expect(await total()).toBe(recorded)
    // Batches of five are recorded at once, so any other sum means a lost or duplicate run.
    expect(read.filter((sum) => sum % 5 !== 0)).toEqual([])
  })

  it('reads rollups when the results are deleted', async () => {
    await record({ metrics: [100] }, { at: 5, metrics: [300], hasFailures: true })
    await rollUp()
    await database.store.pool.query('delete from results where check_id = $1', [checkId])
    const series = await buildSeries(database.store.pool, {
      accountId,
      checkId,
      checkType: 'API',
      range: { from: hour - 2 * dayMs + 5, to: hour + dayMs + 5 },
      metrics: ['availability', 'responseTime_avg', 'responseTime_max'],
      keptSince: later,
    })
    expect(series).toEqual([
      { group: {}, rows: [{ availability: 50, responseTime_avg: 200, responseTime_max: 300 }] },
    ])
  })
})
