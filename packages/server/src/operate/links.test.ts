import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findLinkAccess } from '../storage/core/signed-links.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { databaseUrl, furnish, newDataDir, operate as run } from '../testing/operator.ts'

let database: TestDatabase
let accountId: string
const dataDir = newDataDir()
const operate = (...argv: string[]) =>
  run({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir }, ...argv)

beforeAll(async () => {
  database = await createTestDatabase()
  accountId = (await furnish(database.store, dataDir)).accountId
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

const epoch = async () => (await findLinkAccess(database.store.db, accountId))?.epoch

describe('links revoke', () => {
  it('revokes the links of all accounts, or of one', async () => {
    const all = await operate('links', 'revoke')
    expect(all.stdout).toContain('Links of all accounts that were sent so far no longer work.')
    expect(await epoch()).toBe(1)
    const one = await operate('links', 'revoke', '--account', accountId, '--json')
    expect(one.json).toEqual({ accountId, accounts: 1 })
    expect(await epoch()).toBe(2)
  })

  it('fails if the account does not exist', async () => {
    const { code, stderr } = await operate('links', 'revoke', '--account', randomUUID())
    expect(code).toBe(1)
    expect(stderr).toContain('There is no account')
  })
})
