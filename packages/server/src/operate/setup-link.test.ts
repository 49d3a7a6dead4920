import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashKey } from '../storage/accounts/api-keys.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { databaseUrl, type Furnished, furnish, newDataDir, operate as run } from '../testing/operator.ts'

let database: TestDatabase
let first: Furnished
const dataDir = newDataDir()
const operate = (...argv: string[]) =>
  run(
    { DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir, PUBLIC_URL: 'https://v.example' },
    ...argv,
  )
const links = async () => {
  const { rows } = await database.store.pool.query('select hash, kind, user_id from one_time_links')
  return rows
}

beforeAll(async () => {
  database = await createTestDatabase()
  first = await furnish(database.store, dataDir)
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

describe('links of the operator', () => {
  it('the first start makes one for the owner', async () => {
    expect(await links()).toEqual([
      { hash: hashKey(first.setupToken), kind: 'setup', user_id: first.owner.id },
    ])
  })

  it('setup-link prints another one, which replaces it; only its hash is stored', async () => {
    const { json } = await operate('setup-link', '--json')
    expect(json).toEqual({
      email: 'owner@example.com',
      link: expect.stringMatching(/^https:\/\/v\.example\/setup#[\w-]{43}$/),
    })
    const hash = hashKey(json.link.split('#')[1])
    expect(await links()).toEqual([{ hash, kind: 'setup', user_id: first.owner.id }])
    expect((await operate('setup-link')).stdout).toMatch(
      /once, within 24 hours.*https:\/\/v\.example\/setup#/s,
    )
  })

  it('users reset prints one for a user, and leaves their other links', async () => {
    const before = await links()
    const { json } = await operate('users', 'reset', 'OWNER@example.com', '--json')
    expect(json).toEqual({
      email: 'owner@example.com',
      link: expect.stringMatching(/^https:\/\/v\.example\/reset#[\w-]{43}$/),
      hasFactors: false,
    })
    const hash = hashKey(json.link.split('#')[1])
    expect(await links()).toEqual([...before, { hash, kind: 'reset', user_id: first.owner.id }])
    const unknown = await operate('users', 'reset', 'nobody@example.com')
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringContaining('There is no user nobody@example.com'),
    ])
  })

  it('setup-link fails without an owner', async () => {
    await database.store.pool.query("update memberships set role = 'ADMIN'")
    const { code, stderr } = await operate('setup-link')
    await database.store.pool.query("update memberships set role = 'OWNER'")
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no owner yet')])
  })
})
