import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { openStoreClock } from './store-clock.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
afterEach(() => vi.restoreAllMocks())

/** A clock can't be more exact than the round trip of its samples. */
const toleranceMs = 5_000

async function readStoreTime(): Promise<number> {
  const { rows } = await database.store.pool.query<{ now: string }>('select clock_timestamp() as now')
  return Date.parse(rows[0]?.now ?? '')
}

it.each([
  ['right', 0, []],
  ['two minutes ahead', 120_000, [-120]],
  ['two minutes behind', -120_000, [120]],
])(
  "shows the store's time on a machine whose clock is %s, and warns if it differs",
  async (_name, wrongMs, warned) => {
    const systemTime = Date.now.bind(Date)
    vi.spyOn(Date, 'now').mockImplementation(() => systemTime() + wrongMs)
    const log = pino({ level: 'silent' })
    const warn = vi.spyOn(log, 'warn')
    const clock = await openStoreClock(database.store.pool, log)
    try {
      const before = await readStoreTime()
      const now = clock.now()
      const after = await readStoreTime()
      expect(now).toBeGreaterThan(before - toleranceMs)
      expect(now).toBeLessThan(after + toleranceMs)
      expect(Number.isInteger(now)).toBe(true)
      const offsets = warn.mock.calls.map(([fields]) => (fields as unknown as { offsetMs: number }).offsetMs)
      expect(offsets.map((offset) => Math.round(offset / 10_000) * 10)).toEqual(warned)
    } finally {
      await clock.stop()
    }
  },
)
