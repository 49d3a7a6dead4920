import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { createAccount } from '../accounts/first-account.ts'
import { inTransaction } from '../core/transaction.ts'
import {
  addCoverage,
  type CoverageEntry,
  insertMissedRuns,
  type MissedRun,
  replaceMissed,
} from './coverage.ts'

const hour = 3_600_000
const start = Date.UTC(2026, 10, 30, 23)

let database: TestDatabase
let accountId: string
beforeAll(async () => {
  database = await createTestDatabase()
  accountId = (await createAccount(database.store.db, 'An account')).id
})
afterAll(() => database.drop())

const add = (entries: CoverageEntry[]) =>
  inTransaction(database.store.pool, (client) => addCoverage(client, entries))

async function createCheck(): Promise<string> {
  const id = randomUUID()
  await database.store.pool.query(
    `insert into checks (id, account_id, check_type, name, activated, muted, should_fail, double_check, run_parallel,
       frequency, tags, use_global_alert_settings, settings)
     values ($1, $2, 'URL', 'url', true, false, false, false, false, 1, '{}', true, '{}')`,
    [id, accountId],
  )
  return id
}

async function rowsOf(checkId: string) {
  const { rows } = await database.store.pool.query(
    'select hour, location, executed, skipped, missed, reasons from coverage where check_id = $1 order by hour, location',
    [checkId],
  )
  return rows
}

describe('addCoverage', () => {
  it('adds up per hour and location, also over the end of a month', async () => {
    const checkId = randomUUID()
    const entry = { accountId, checkId, location: 'eu-west-1' }
    await add([
      { ...entry, hourMs: start, skipped: 2, reason: 'in_progress' },
      { ...entry, hourMs: start + 59 * 60_000, skipped: 1, reason: 'maintenance' },
      { ...entry, hourMs: start + hour, missed: 3, reason: 'server' },
      { ...entry, location: 'us-east-1', hourMs: start, missed: 1, reason: 'agent' },
    ])
    await add([
      { ...entry, hourMs: start, skipped: 1, reason: 'in_progress' },
      { ...entry, hourMs: start, missed: 4, reason: 'agent' },
    ])
    expect(await rowsOf(checkId)).toEqual([
      {
        hour: '2026-11-30T23:00:00.000Z',
        location: 'eu-west-1',
        executed: 0,
        skipped: 4,
        missed: 4,
        reasons: { in_progress: 3, maintenance: 1, agent: 4 },
      },
      {
        hour: '2026-11-30T23:00:00.000Z',
        location: 'us-east-1',
        executed: 0,
        skipped: 0,
        missed: 1,
        reasons: { agent: 1 },
      },
      {
        hour: '2026-12-01T00:00:00.000Z',
        location: 'eu-west-1',
        executed: 0,
        skipped: 0,
        missed: 3,
        reasons: { server: 3 },
      },
    ])
  })

  it('loses nothing when many add to the same rows in other orders', async () => {
    const checkIds = Array.from({ length: 6 }, () => randomUUID())
    const entries = checkIds.map((checkId) => ({
      accountId,
      checkId,
      hourMs: start,
      location: 'eu-west-1',
      missed: 1,
      reason: 'agent' as const,
    }))
    await Promise.all(
      Array.from({ length: 10 }, (_, turn) => add(turn % 2 === 0 ? entries : entries.toReversed())),
    )
    for (const checkId of checkIds)
      expect(await rowsOf(checkId)).toMatchObject([{ missed: 10, reasons: { agent: 10 } }])
  })

  it('does nothing for nothing', async () => {
    await expect(add([])).resolves.toBeUndefined()
  })
})

describe('a missed run', () => {
  const miss = (runs: MissedRun[]) =>
    inTransaction(database.store.pool, (client) => insertMissedRuns(client, runs))
  const replace = (runs: MissedRun[]) =>
    inTransaction(database.store.pool, (client) => replaceMissed(client, runs))

  it('is counted once, and taken back once by its late result', async () => {
    const checkId = await createCheck()
    const run = (): MissedRun => ({
      accountId,
      checkId,
      scheduledAt: start + 60_000,
      runId: randomUUID(),
      location: 'eu-west-1',
      reason: 'agent',
    })
    const [first, second] = [run(), run()]
    await miss([first, second])
    await miss([first])
    expect(await rowsOf(checkId)).toMatchObject([{ missed: 2, reasons: { agent: 2 } }])
    await replace([first, run()])
    await replace([first])
    expect(await rowsOf(checkId)).toMatchObject([{ missed: 1, reasons: { agent: 1 } }])
    await replace([second])
    const [row] = await rowsOf(checkId)
    expect(row).toMatchObject({ missed: 0 })
    expect(row?.reasons).toEqual({})
  })

  it('of a deleted check leaves nothing', async () => {
    const checkId = randomUUID()
    await miss([
      {
        accountId,
        checkId,
        scheduledAt: start,
        runId: randomUUID(),
        location: 'eu-west-1',
        reason: 'server',
      },
    ])
    expect(await rowsOf(checkId)).toEqual([])
  })
})
