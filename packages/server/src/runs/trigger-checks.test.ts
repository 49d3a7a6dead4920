import { checkTypes } from '@vedette/contracts'
import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createChecks } from '../checks/change-checks.ts'
import { createAccount } from '../storage/accounts/first-account.ts'
import { type Db, transact } from '../storage/core/db.ts'
import type { Tables } from '../storage/core/tables.generated.ts'
import { openVault } from '../storage/core/vault.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { triggerChecks } from './trigger-checks.ts'

let database: TestDatabase
let db: Db
let statements = 0
beforeAll(async () => {
  database = await createTestDatabase()
  db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: database.store.pool }),
    log() {
      statements += 1
    },
  })
})
afterAll(() => database.drop())

const now = Date.UTC(2026, 10, 16)

/** Creates the checks, triggers all of them, and returns the number of statements of the second step. */
async function triggerAll(size: number): Promise<number> {
  const { id: accountId } = await createAccount(database.store.db, 'A project')
  const context = { accountId, vault: openVault('a secret key for tests'), clock: { now: () => now } }
  const checks = Array.from({ length: size }, (_, index) => ({
    type: 'URL' as const,
    values: checkTypes.URL.input.parse({
      name: `check ${index}`,
      locations: ['eu-west-1', 'us-east-1'],
      request: { url: 'https://example.com/' },
    }),
  }))
  await transact(db, (tx) => createChecks(tx, context, checks))
  statements = 0
  const sessions = await transact(db, (tx) => triggerChecks(tx, { accountId, target: {} }, now))
  const used = statements
  expect(sessions).toHaveLength(size)
  const { rows } = await database.store.pool.query(
    'select count(*)::int as runs from schedule where account_id = $1 and check_session_id is not null',
    [accountId],
  )
  expect(rows).toEqual([{ runs: 2 * size }])
  return used
}

it('triggers 1,000 checks with as many statements as eight', async () => {
  const few = await triggerAll(8)
  expect(await triggerAll(1_000)).toBe(few)
  expect(few).toBeLessThanOrEqual(10)
})
