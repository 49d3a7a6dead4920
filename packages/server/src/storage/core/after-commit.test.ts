import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { metrics } from '../../prometheus/metrics.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { addCoverage } from '../runs/coverage.ts'
import { afterCommit } from './after-commit.ts'
import { transact } from './db.ts'
import { type Client, clientOf, inTransaction } from './transaction.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const conflict = () => Object.assign(new Error('could not serialize access'), { code: '40001' })
const missedSoFar = () =>
  metrics.runsMissed.samples().find(({ labels }) => labels.reason === 'server')?.value ?? 0
const addMissed = (client: Client) => {
  const entry = { accountId: randomUUID(), checkId: randomUUID(), hourMs: 0, location: 'eu-west-1' }
  return addCoverage(client, [{ ...entry, missed: 1, reason: 'server' }])
}

describe('afterCommit', () => {
  it('counts a missed slot once, although its transaction was retried', async () => {
    const before = missedSoFar()
    let tries = 0
    await inTransaction(database.store.pool, async (client) => {
      await addMissed(client)
      if (++tries < 3) throw conflict()
    })
    expect(tries).toBe(3)
    expect(missedSoFar()).toBe(before + 1)
  })

  it("isn't run if the transaction is rolled back", async () => {
    const before = missedSoFar()
    const failing = inTransaction(database.store.pool, async (client) => {
      await addMissed(client)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(missedSoFar()).toBe(before)
  })

  it('works for typed transactions too', async () => {
    const done: string[] = []
    let tries = 0
    await transact(database.store.db, async (tx) => {
      afterCommit(clientOf(tx), () => done.push('committed'))
      expect(done).toEqual([])
      if (++tries === 1) throw conflict()
    })
    expect(done).toEqual(['committed'])
  })
})
