import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { insertTestCheck } from '../analytics/check.fixture.ts'
import { createAccount } from '../storage/accounts/first-account.ts'
import { deleteAccount } from '../storage/accounts/installation.ts'
import { deleteChecks } from '../storage/checks/checks.ts'
import { insertHeartbeatEvents } from '../storage/checks/heartbeat-events.ts'
import { transact } from '../storage/core/db.ts'
import { inTransaction } from '../storage/core/transaction.ts'
import { insertMissedRuns } from '../storage/runs/coverage.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'

let database: TestDatabase
let accountId: string
let checkIds: string[]
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const at = Date.UTC(2026, 10, 15, 8)

async function addHistory(checkId: string): Promise<void> {
  const location = 'eu-west-1'
  await inTransaction(database.store.pool, async (client) => {
    const run = {
      accountId,
      checkId,
      scheduledAt: at,
      runId: randomUUID(),
      location,
      reason: 'agent' as const,
    }
    await insertMissedRuns(client, [run])
    const event = { id: randomUUID(), accountId, checkId, state: 'RECEIVED' as const, occurredAt: at }
    await insertHeartbeatEvents(client, [{ ...event, source: null, userAgent: null }])
  })
}

beforeEach(async () => {
  const { db } = database.store
  accountId = (await createAccount(db, 'An account')).id
  checkIds = [await insertTestCheck(db, accountId), await insertTestCheck(db, accountId)]
  for (const id of checkIds) await addHistory(id)
})

async function historyOf(): Promise<string[]> {
  const { rows } = await database.store.pool.query<{ id: string }>(
    `select check_id as id from missed_runs where account_id = $1
     union all select check_id from heartbeat_events where account_id = $1 order by id`,
    [accountId],
  )
  return rows.map(({ id }) => id)
}

it('deleting a check deletes its missed runs and heartbeat events, and those of no other', async () => {
  const [first = '', second = ''] = checkIds
  await transact(database.store.db, (tx) => deleteChecks(tx, accountId, [first]))
  expect(await historyOf()).toEqual([second, second])
})

it('deleting an account leaves no missed run and no heartbeat event', async () => {
  await deleteAccount(database.store.db, accountId)
  expect(await historyOf()).toEqual([])
})

it('runs of a check that was deleted meanwhile are not recorded as missed', async () => {
  const [first = ''] = checkIds
  await transact(database.store.db, (tx) => deleteChecks(tx, accountId, checkIds))
  await inTransaction(database.store.pool, (client) =>
    insertMissedRuns(client, [
      {
        accountId,
        checkId: first,
        scheduledAt: at,
        runId: randomUUID(),
        location: 'eu-west-1',
        reason: 'agent',
      },
    ]),
  )
  expect(await historyOf()).toEqual([])
})
