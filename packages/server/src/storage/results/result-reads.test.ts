import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { insertResults, type SomeResult } from '../../testing/results.ts'
import { createAccount } from '../accounts/first-account.ts'
import { listResults, listResultsAfter, type ResultsOf } from './result-reads.ts'

const day = 86_400_000
const now = Date.UTC(2026, 10, 15, 12)
const page = { limit: 10, page: 1, resultType: 'FINAL' as const }

let database: TestDatabase
let of: ResultsOf
beforeAll(async () => {
  database = await createTestDatabase()
  const { db } = database.store
  const account = await createAccount(db, 'An account')
  of = { accountId: account.id, checkId: randomUUID(), withDetail: true }
  const check = { id: of.checkId, account_id: account.id, check_type: 'API', name: 'API', settings: '{}' }
  const defaults = { should_fail: false, double_check: false, run_parallel: false, frequency: 10, tags: [] }
  await db
    .insertInto('checks')
    .values({ ...check, ...defaults, activated: true, muted: false, use_global_alert_settings: true })
    .execute()
})
afterAll(() => database.drop())

function insert(results: Omit<SomeResult, 'accountId' | 'checkId'>[]): Promise<string[]> {
  return insertResults(
    database.store,
    results.map((result) => ({ ...result, accountId: of.accountId, checkId: of.checkId })),
  )
}

describe('a list of results', () => {
  it('does not touch the days before its window', async () => {
    const { db, pool } = database.store
    const [old, recent] = await insert([{ scheduledAt: now - 3 * day }, { scheduledAt: now }])
    const window = { from: now - 3_600_000, to: now + 1_000 }
    const holder = await pool.connect()
    try {
      await holder.query('begin')
      // Even planning a query on that day waits now.
      await holder.query('lock table results_20261112 in access exclusive mode')
      const { items, total } = await listResults(db, of, { ...page, ...window })
      expect([items.map(({ id }) => id), total]).toEqual([[recent], 1])
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    const rows = await listResultsAfter(db, of, { ...page, after: null })
    expect(rows.map(({ id }) => id)).toEqual([recent, old])
  })

  it('leaves out evidence beyond 32 MB of a page, the oldest first; each is read by itself', async () => {
    const body = 'x'.repeat(1_900_000)
    const slots = Array.from({ length: 18 }, (_, index) => now - 10 * day - index * 1_000)
    for (const scheduledAt of slots) await insert([{ scheduledAt, detail: { observed: { body } } }])
    const window = { from: now - 11 * day, to: now - 9 * day }
    const { items } = await listResults(database.store.db, of, { ...page, ...window, limit: 100 })
    expect(items).toHaveLength(18)
    const kept = items.map(({ detail }) => detail !== null)
    expect(kept).toEqual([...Array(17).fill(true), false])
    const bare = await listResults(database.store.db, { ...of, withDetail: false }, { ...page, ...window })
    expect(bare.items.every(({ detail }) => detail === null)).toBe(true)
  })
})
