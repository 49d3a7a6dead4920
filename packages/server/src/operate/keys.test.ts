import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPrincipals, hashKey } from '../storage/accounts/api-keys.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { databaseUrl, furnish, newDataDir, operate as run } from '../testing/operator.ts'

let database: TestDatabase
let accountId: string
const dataDir = newDataDir()
const operate = (...argv: string[]) =>
  run({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir }, ...argv)
const principalOf = async (rawKey: string) =>
  (await findPrincipals(database.store.pool, [hashKey(rawKey)]))[0]

beforeAll(async () => {
  database = await createTestDatabase()
  accountId = (await furnish(database.store, dataDir)).accountId
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

describe('keys', () => {
  it('creates a key for the owner without options, to replace a lost one', async () => {
    const { json } = await operate('keys', 'create', '--json')
    expect(json).toMatchObject({ kind: 'user', email: 'owner@example.com' })
    expect((await principalOf(json.rawKey))?.roles.get(accountId)).toBe('OWNER')
    const text = await operate('keys', 'create', '--name', 'Another')
    expect(text.stdout).toMatch(/API key {2}vu_[0-9a-f]{32}/)
  })

  it('creates a service key with its own role', async () => {
    const { json } = await operate('keys', 'create', '--account', accountId, '--role', 'READ_RUN', '--json')
    expect(json.rawKey).toMatch(/^vs_/)
    const principal = await principalOf(json.rawKey)
    expect(principal).toMatchObject({ userId: null, roles: new Map([[accountId, 'READ_RUN']]) })
  })

  it('lists keys masked, and those of one account', async () => {
    const { json: made } = await operate('keys', 'create', '--email', 'owner@example.com', '--json')
    await operate('users', 'create', '--email', 'stranger@example.com')
    await operate('keys', 'create', '--email', 'stranger@example.com')
    const all = await operate('keys', 'list', '--json')
    expect(all.stdout).not.toContain(made.rawKey)
    expect(all.json.find((key: { id: string }) => key.id === made.id)).toMatchObject({
      maskedKey: `...${made.rawKey.slice(-4)}`,
      kind: 'user',
      lastUsedAt: null,
    })
    const ofAccount = await operate('keys', 'list', '--account', accountId, '--json')
    const emails = ofAccount.json.map((key: { email: string | null }) => key.email)
    expect(emails).toContain('owner@example.com')
    expect(emails).not.toContain('stranger@example.com')
    expect(ofAccount.json.some((key: { kind: string }) => key.kind === 'service')).toBe(true)
  })

  it('revokes a key', async () => {
    const { json } = await operate('keys', 'create', '--json')
    expect((await operate('keys', 'revoke', json.id)).stdout).toContain('within 5 seconds')
    expect(await principalOf(json.rawKey)).toBeNull()
    expect(await operate('keys', 'revoke', json.id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no key ${json.id}`),
    })
  })

  it.each([
    [['--email', 'who@example.com'], 1, 'There is no user who@example.com'],
    [['--account', randomUUID(), '--role', 'ADMIN'], 1, 'There is no account'],
    [['--account', randomUUID()], 2, '--role is missing'],
    [['--account', randomUUID(), '--role', 'ADMIN', '--email', 'a@b.example'], 2, 'either for a user'],
    [['--colour', 'red'], 2, "Unknown option '--colour'"],
  ])('create refuses %j', async (words, code, message) => {
    const ran = await operate('keys', 'create', ...words)
    expect(ran.code).toBe(code)
    expect(ran.stderr).toContain(message)
    expect(ran.stdout).toBe('')
  })

  it('requires a user if there are several accounts', async () => {
    await operate('accounts', 'create', '--name', 'Second')
    expect(await operate('keys', 'create')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There are several accounts'),
    })
  })
})
