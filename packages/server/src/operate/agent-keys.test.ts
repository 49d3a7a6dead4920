import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findAgentKey } from '../storage/accounts/agent-keys.ts'
import { hashKey } from '../storage/accounts/api-keys.ts'
import { createAccount } from '../storage/accounts/first-account.ts'
import { insertPrivateLocation, insertPrivateLocationKey } from '../storage/runs/private-locations.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { databaseUrl, newDataDir, operate as run } from '../testing/operator.ts'

let database: TestDatabase
const dataDir = newDataDir()
const operate = (...argv: string[]) =>
  run({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir }, 'agent-keys', ...argv)
const keyOf = (rawKey: string) => findAgentKey(database.store.pool, hashKey(rawKey))

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

describe('agent-keys', () => {
  it('creates a key, lists it masked, and deletes it', async () => {
    const { json: made } = await operate('create', '--name', 'Frankfurt', '--json')
    expect(made.rawKey).toMatch(/^va_[0-9a-f]{32}$/)
    expect(await keyOf(made.rawKey)).toEqual({ kind: 'operator', keyId: made.id })
    const listed = await operate('list', '--json')
    expect(listed.stdout).not.toContain(made.rawKey)
    expect(listed.json).toMatchObject([{ id: made.id, name: 'Frankfurt', maskedKey: made.maskedKey }])
    expect((await operate('list')).stdout).toContain('Frankfurt')
    expect(await operate('delete', made.id)).toMatchObject({ code: 0 })
    expect(await keyOf(made.rawKey)).toBeNull()
    expect(await operate('delete', made.id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no agent key ${made.id}`),
    })
  })

  it('requires a name', async () => {
    expect(await operate('create')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--name is missing'),
    })
  })
})

describe('findAgentKey', () => {
  it('distinguishes the keys of private locations from those of the operator', async () => {
    const { db } = database.store
    const account = await createAccount(db, 'An account')
    const location = await insertPrivateLocation(db, {
      id: randomUUID(),
      account_id: account.id,
      name: 'Office',
      slug_name: 'office',
      icon: 'location',
    })
    const { key } = await insertPrivateLocationKey(db, account.id, location.id)
    expect(await keyOf(key.rawKey)).toEqual({
      kind: 'private',
      keyId: key.id,
      accountId: account.id,
      privateLocationId: location.id,
      slug: 'office',
    })
    expect(await keyOf(`va_${'0'.repeat(32)}`)).toBeNull()
  })
})
