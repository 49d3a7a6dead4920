import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { createAccount } from '../accounts/first-account.ts'
import { countServers, listOutages, steadySince, touchServer } from './servers.ts'

let database: TestDatabase
const start = Date.parse('2026-11-15T08:00:00.000Z')
const [first, second] = [randomUUID(), randomUUID()]
const touch = async (id: string, nowMs: number) => (await touchServer(database.store.pool, id, nowMs)).outage
const outages = () => listOutages(database.store.pool, 0, start * 2)

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.store.pool.query('truncate servers, outages')
})

async function newCheck(): Promise<{ accountId: string; checkId: string }> {
  const { id: accountId } = await createAccount(database.store.db, 'An account')
  const checkId = randomUUID()
  await database.store.pool.query(
    `insert into checks (id, account_id, check_type, name, activated, muted, should_fail, double_check, tags, frequency,
       run_parallel, use_global_alert_settings, settings)
     values ($1, $2, 'URL', 'One', true, false, false, false, '{}', 1, false, true, '{}')`,
    [checkId, accountId],
  )
  return { accountId, checkId }
}

describe('touchServer', () => {
  it('records no outage at the first start', async () => {
    expect(await touch(first, start)).toBeNull()
    expect(await outages()).toEqual([])
    expect(await countServers(database.store.pool, start)).toBe(1)
  })

  it('records no outage while another server is seen', async () => {
    await touch(first, start)
    expect(await touch(second, start + 14_000)).toBeNull()
    expect(await touch(first, start + 28_000)).toBeNull()
    expect(await outages()).toEqual([])
  })

  it('drops servers that were not seen for ten seconds', async () => {
    await touch(first, start)
    await touch(second, start + 10_000)
    expect(await countServers(database.store.pool, start + 10_000)).toBe(2)
    await touch(second, start + 10_001)
    expect(await countServers(database.store.pool, start + 10_001)).toBe(1)
  })

  it('returns the rank among the servers that are alive, the oldest first', async () => {
    const rankOf = async (id: string, nowMs: number) => {
      const { rank, count } = await touchServer(database.store.pool, id, nowMs)
      return [rank, count]
    }
    expect(await rankOf(second, start)).toEqual([0, 1])
    expect(await rankOf(first, start + 1_000)).toEqual([1, 2])
    expect(await rankOf(second, start + 2_000)).toEqual([0, 2])
    expect(await rankOf(first, start + 13_000)).toEqual([0, 1])
  })

  it('records an outage when it wakes after a sleep of its own', async () => {
    await touch(first, start)
    expect(await touch(first, start + 15_000)).toBeNull()
    const woken = start + 15_000 + 15_001
    expect(await touch(first, woken)).toEqual({ from: start + 15_000, to: woken })
    expect(await outages()).toEqual([{ from: start + 15_000, to: woken }])
  })

  it('records one outage when several servers start at once', async () => {
    await touch(first, start)
    const seen = await Promise.all(
      Array.from({ length: 4 }, (_, index) => touch(randomUUID(), start + 60_000 + index)),
    )
    expect(seen.filter((outage) => outage !== null)).toHaveLength(1)
    expect(await outages()).toHaveLength(1)
  })

  it('moves the deadlines of heartbeats by the time of the outage', async () => {
    const { pool } = database.store
    const { accountId, checkId } = await newCheck()
    await pool.query(
      `insert into heartbeats (check_id, account_id, period_ms, grace_ms, last_ping_at, due_at, deadline_at)
       values ($1, $2, 60000, 0, $3, $4, $4)`,
      [checkId, accountId, new Date(start), new Date(start + 30_000)],
    )
    await touch(first, start)
    await touch(first, start + 60_000)
    const { rows } = await pool.query<{ deadline_at: string }>('select deadline_at from heartbeats')
    expect(Date.parse(rows[0]?.deadline_at ?? '')).toBe(start + 90_000)
  })

  it('gives leases that ran out meanwhile half a minute more, and leaves all else alone', async () => {
    const { pool } = database.store
    const { accountId, checkId } = await newCheck()
    const lane = (name: string, dueMs: number, leaseId: string | null) =>
      pool.query(
        `insert into schedule (account_id, check_id, lane, locations, queues, slot_at, location, queue, due_at, lease_id)
         values ($1, $2, $3, '{eu-west-1}', '{eu-west-1}', $4, 'eu-west-1', 'eu-west-1', $4, $5)`,
        [accountId, checkId, name, new Date(dueMs), leaseId],
      )
    const end = start + 60_000
    await lane('ran out before', start - 1, randomUUID())
    await lane('ran out', start + 20_000, randomUUID())
    await lane('about to run out', end + 10_000, randomUUID())
    await lane('slot', start + 20_000, null)
    await touch(first, start)
    await touch(second, end)
    const { rows } = await pool.query<{ lane: string; due_at: string }>('select lane, due_at from schedule')
    expect(Object.fromEntries(rows.map((row) => [row.lane, Date.parse(row.due_at)]))).toEqual({
      'ran out before': start - 1,
      'ran out': end + 30_000,
      'about to run out': end + 30_000,
      slot: start + 20_000,
    })
  })
})

describe('listOutages', () => {
  it('finds those that overlap, and not those that only touch', async () => {
    await touch(first, start)
    await touch(first, start + 60_000)
    const { pool } = database.store
    const outage = { from: start, to: start + 60_000 }
    expect(await listOutages(pool, start + 59_999, start + 90_000)).toEqual([outage])
    expect(await listOutages(pool, start - 10, start + 1)).toEqual([outage])
    expect(await listOutages(pool, start + 60_000, start + 90_000)).toEqual([])
    expect(await listOutages(pool, start - 10, start)).toEqual([])
  })
})

describe('steadySince', () => {
  const steady = (nowMs: number) => steadySince(database.store.pool, nowMs)

  it('is the start of the oldest server that is alive, and unknown where none ever was', async () => {
    expect(await steady(start)).toBeNull()
    await touch(first, start)
    await touch(second, start + 5_000)
    await touch(first, start + 9_000)
    expect(await steady(start + 10_000)).toBe(start)
    // The oldest was replaced, without a moment in which nobody was there.
    await touch(second, start + 19_001)
    expect(await steady(start + 19_001)).toBe(start + 5_000)
  })

  it('is the end of an outage, also for a server that slept through it', async () => {
    await touch(first, start)
    await touch(first, start + 60_000)
    expect(await steady(start + 61_000)).toBe(start + 60_000)
  })
})
