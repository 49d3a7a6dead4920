import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPrincipals, hashKey } from '../storage/accounts/api-keys.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { databaseUrl, newDataDir, operate as run } from '../testing/operator.ts'

let database: TestDatabase
const dataDir = newDataDir()
const operate = (...argv: string[]) =>
  run({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir }, ...argv)

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

describe('accounts create', () => {
  it('creates an account with an owner and a key for it', async () => {
    const { code, json } = await operate(
      'accounts',
      'create',
      '--name',
      'Two',
      '--owner-email',
      'a@example.com',
      '--json',
    )
    expect(code).toBe(0)
    expect(json).toMatchObject({ name: 'Two', plan: 'self-hosted', owner: { email: 'a@example.com' } })
    const [principal] = await findPrincipals(database.store.pool, [hashKey(json.key.rawKey)])
    expect([...(principal?.roles ?? [])]).toEqual([[json.id, 'OWNER']])
  })

  it('uses an existing owner, ignoring the case of the address', async () => {
    const { json } = await operate(
      'accounts',
      'create',
      '--name',
      'Three',
      '--owner-email',
      'A@Example.com',
      '--json',
    )
    const [principal] = await findPrincipals(database.store.pool, [hashKey(json.key.rawKey)])
    expect(principal?.roles.size).toBe(2)
  })

  it('prints the key once, with the requested plan', async () => {
    const { stdout } = await operate(
      'accounts',
      'create',
      '--name',
      'Four',
      '--plan',
      'TEAM',
      '--owner-email',
      'b@example.com',
    )
    expect(stdout).toMatch(/plan team[\s\S]*API key {2}vu_[0-9a-f]{32}[\s\S]*only once/)
    const keys = await operate('keys', 'list')
    expect(keys.stdout).not.toMatch(/vu_/)
  })

  it.each([
    [['--plan', 'gold'], /"gold" isn't a plan: use one of self-hosted, hobby, starter, team, CONTRACT/],
    [['--owner-email', 'nobody'], /"nobody" isn't an email address/],
  ])('refuses %j and creates nothing', async (words, message) => {
    const before = await countAccounts()
    const { code, stderr } = await operate('accounts', 'create', '--name', 'X', ...words)
    expect(code).toBe(1)
    expect(stderr).toMatch(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(await countAccounts()).toBe(before)
  })

  it('needs a name: usage, exit 2', async () => {
    const { code, stderr } = await operate('accounts', 'create')
    expect(code).toBe(2)
    expect(stderr).toMatch(/--name is missing[\s\S]*Usage:\n {2}vedette accounts create --name NAME/)
  })
})

describe('accounts set-plan, rename, delete, list', () => {
  it('sets a plan and a name, and lists them', async () => {
    const id = await createTestAccount('Old')
    expect((await operate('accounts', 'set-plan', id, 'hobby', '--json')).json).toEqual({
      id,
      name: 'Old',
      plan: 'hobby',
    })
    expect((await operate('accounts', 'rename', id, 'New name')).stdout).toContain('New name')
    const { json } = await operate('accounts', 'list', '--json')
    expect(json.find((account: { id: string }) => account.id === id)).toMatchObject({
      name: 'New name',
      plan: 'hobby',
      members: 0,
      checks: 0,
    })
  })

  it('deletes an account with all its data, but only with --yes', async () => {
    const id = await createTestAccount('Doomed')
    await putGroupWithCheck(id)
    const refused = await operate('accounts', 'delete', id)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('add --yes') })
    expect(
      await database.store.db.selectFrom('checks').where('account_id', '=', id).selectAll().execute(),
    ).toHaveLength(1)
    expect((await operate('accounts', 'delete', id, '--yes', '--json')).json).toEqual({ id, deleted: true })
    expect(
      await database.store.db.selectFrom('checks').where('account_id', '=', id).selectAll().execute(),
    ).toEqual([])
  })

  it.each([
    ['set-plan', 'hobby'],
    ['rename', 'X'],
    ['delete', '--yes'],
  ])('%s fails if the account does not exist', async (command, word) => {
    const id = randomUUID()
    const { code, stderr } = await operate('accounts', command, id, word)
    expect(code).toBe(1)
    expect(stderr).toContain(`There is no account ${id}`)
    const odd = await operate('accounts', command, '17', word)
    expect(odd).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`"17" isn't the id of an account`),
    })
  })
})

async function countAccounts(): Promise<number> {
  return (await database.store.db.selectFrom('accounts').select('id').execute()).length
}

async function createTestAccount(name: string): Promise<string> {
  return (await operate('accounts', 'create', '--name', name, '--json')).json.id
}

async function putGroupWithCheck(accountId: string): Promise<void> {
  const group = await database.store.pool.query<{ id: number }>(
    `insert into check_groups (account_id, name, activated, muted, tags, locations, private_locations, concurrency,
      double_check, settings) values ($1, 'g', true, false, '{}', '{}', '{}', 1, true, '{}') returning id`,
    [accountId],
  )
  await database.store.pool.query(
    `insert into checks (id, account_id, check_type, name, activated, muted, should_fail, double_check, tags, frequency,
      run_parallel, use_global_alert_settings, settings, group_id)
    values ($1, $2, 'API', 'c', true, false, false, true, '{}', 10, false, true, '{}', $3)`,
    [randomUUID(), accountId, group.rows[0]?.id],
  )
}
