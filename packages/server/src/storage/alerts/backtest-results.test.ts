import { randomUUID } from 'node:crypto'
import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { ensureDays } from '../core/partitions.ts'
import { inTransaction } from '../core/transaction.ts'
import { backtestStarts, type FinalResult, readFinalResults } from './backtest-results.ts'

const minute = 60_000
const locations = ['eu-west-1', 'us-east-1', 'ap-south-1']
const slots = 15_000
const first = Date.UTC(2026, 10, 1, 0, 0, 0, 123)

let api: TestApi
let checkId: string
beforeAll(async () => {
  api = await startTestApi()
  checkId = (await api.alice.post('/v1/checks/api', checkTypes.API.example)).body.id
  const days = Array.from({ length: 11 }, (_, day) => first + day * 1440 * minute)
  await inTransaction(api.store.pool, (client) => ensureDays(client, days))
  await api.store.pool.query(
    `insert into results (account_id, check_id, scheduled_at, run_id, attempt, id, check_type, source, result_type, location,
       started_at, stopped_at, response_time, has_failures, has_errors, is_degraded, is_cancelled, over_max_response_time, metrics)
     select $1, $2, at, gen_random_uuid(), 1, gen_random_uuid(), 'API', 'schedule', 'FINAL', location, at,
       at + n * interval '1 second', 1, n = 1, n = 3, n = 2, false, false, '{}'
     from (select to_timestamp($3 / 1000.0) + slot * interval '1 minute' as at from generate_series(0, $4::int - 1) slot) s,
       unnest($5::text[]) with ordinality as l (location, n)`,
    [api.alice.accountId, checkId, first, slots, locations],
  )
})
afterAll(() => api.close())

async function pieces(from: number, to: number, accountId = api.alice.accountId): Promise<FinalResult[][]> {
  return Array.fromAsync(readFinalResults(api.store.pool, { accountId, checkId, from, to }))
}

describe('final results for a backtest', () => {
  it('come in pieces, each once and in order', async () => {
    const read = await pieces(first, first + slots * minute)
    expect(read.map(({ length }) => length)).toEqual([20_000, 20_000, 5_000])
    const results = read.flat()
    expect(results.map(({ scheduledAt }) => scheduledAt)).toEqual(
      Array.from({ length: slots * 3 }, (_, index) => first + Math.floor(index / 3) * minute),
    )
    expect(results.find(({ location }) => location === 'us-east-1')).toEqual({
      scheduledAt: first,
      stoppedAt: first + 2_000,
      sessionId: null,
      location: 'us-east-1',
      hasFailures: false,
      isDegraded: true,
      hasErrors: false,
    })
  })

  it('are those from the first instant on and before the last', async () => {
    const read = (await pieces(first + minute, first + 3 * minute)).flat()
    expect([...new Set(read.map(({ scheduledAt }) => scheduledAt))]).toEqual([
      first + minute,
      first + 2 * minute,
    ])
  })

  it('leave the connection to others when the reader has enough', async () => {
    const { pool } = api.store
    const span = { accountId: api.alice.accountId, checkId, from: first, to: first + slots * minute }
    for await (const piece of readFinalResults(pool, span)) {
      expect(piece).toHaveLength(20_000)
      break
    }
    // Others use the pool too, such as the probe of the database.
    await expect.poll(() => pool.totalCount - pool.idleCount + pool.waitingCount).toBe(0)
  })

  it('are none for another account', async () => {
    expect((await pieces(first, first + slots * minute, api.bob.accountId)).flat()).toEqual([])
  })
})

describe('where a backtest begins to read', () => {
  const hour = 60 * minute
  it('is six hours before, or the hundredth result before where that is earlier', async () => {
    const unknown = randomUUID()
    const from = first + slots * minute + 5 * 24 * hour
    const ask = (at: number) => backtestStarts(api.store.pool, api.alice.accountId, [checkId, unknown], at)
    const busy = first + 1000 * minute
    expect(await ask(busy)).toEqual(
      new Map([
        [checkId, busy - 6 * hour],
        [unknown, busy - 6 * hour],
      ]),
    )
    expect((await ask(from)).get(checkId)).toBe(first + (slots - 34) * minute)
  })
})
