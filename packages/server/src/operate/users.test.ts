import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe('users', () => {
  it('creates a user with a role, and lists them', async () => {
    const made = await operate(
      ...['users', 'create', '--email', 'ann@example.com', '--name', 'Ann'],
      ...['--account', accountId, '--role', 'read_write', '--json'],
    )
    expect(made.json).toMatchObject({ email: 'ann@example.com', name: 'Ann', accountId, role: 'READ_WRITE' })
    const { json } = await operate('users', 'list', '--json')
    expect(json.find((user: { name: string }) => user.name === 'Ann').accounts).toEqual([
      { id: accountId, name: 'Årea 51', role: 'READ_WRITE' },
    ])
  })

  it('changes the address of a user', async () => {
    const changed = await operate('users', 'set-email', 'ANN@example.com', 'anna@example.com')
    expect(changed.stdout).toBe('The address of ann@example.com is now anna@example.com.\n')
    const refused = await operate('users', 'set-email', 'anna@example.com', 'owner@example.com')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('already has the address')])
  })

  it('removes the factors of a user only on request', async () => {
    const { pool } = database.store
    await pool.query(
      `insert into totp_factors select id, '{}', 1, now() from users where email = 'owner@example.com'`,
    )
    await pool.query(
      `insert into recovery_codes select id, '\\x00', now() from users where email = 'owner@example.com'`,
    )
    const kept = await operate('users', 'reset', 'owner@example.com')
    expect(kept.stdout).toContain('If both are lost: --remove-factors')
    expect((await pool.query('select * from totp_factors')).rows).toHaveLength(1)
    const removed = await operate('users', 'reset', 'owner@example.com', '--remove-factors')
    expect(removed.stdout).toMatch(/are removed, and they are signed out.*\/reset#/s)
    for (const table of ['totp_factors', 'recovery_codes', 'sign_ins'])
      expect((await pool.query(`select * from ${table}`)).rows, table).toEqual([])
  })

  it('refuses a second user with the same address', async () => {
    const { code, stderr } = await operate('users', 'create', '--email', 'OWNER@example.com')
    expect(code).toBe(1)
    expect(stderr).toContain('There is a user OWNER@example.com already')
  })

  it('creates no user if the account does not exist', async () => {
    const words = ['--email', 'eve@example.com', '--account', randomUUID(), '--role', 'ADMIN']
    expect(await operate('users', 'create', ...words)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no account'),
    })
    expect((await operate('users', 'list')).stdout).not.toContain('eve@')
  })

  it('requires --account and --role together', async () => {
    const { code, stderr } = await operate('users', 'create', '--email', 'x@example.com', '--role', 'ADMIN')
    expect(code).toBe(2)
    expect(stderr).toContain('--account and --role go together')
  })

  it('sets a role, and adds the membership if there is none', async () => {
    await operate('users', 'create', '--email', 'bo@example.com')
    const words = ['users', 'set-role', '--account', accountId, '--email', 'bo@example.com', '--role']
    expect((await operate(...words, 'READ_ONLY', '--json')).json).toMatchObject({ role: 'READ_ONLY' })
    const { stdout } = await operate(...words, 'ADMIN')
    expect(stdout).toMatch(/bo@example.com is ADMIN in .* within 5 seconds/)
    expect(await operate(...words, 'BOSS')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('one of READ_ONLY, READ_RUN, READ_WRITE, ADMIN, OWNER'),
    })
  })

  it('neither demotes nor removes the last owner', async () => {
    const owner = ['--account', accountId, '--email', 'owner@example.com']
    for (const words of [
      ['set-role', ...owner, '--role', 'ADMIN'],
      ['remove', ...owner],
    ]) {
      const { code, stderr } = await operate('users', ...words)
      expect(code).toBe(1)
      expect(stderr).toContain('owner@example.com is the last OWNER')
    }
    await operate('users', 'create', '--email', 'cy@example.com', '--account', accountId, '--role', 'OWNER')
    expect((await operate('users', 'remove', ...owner)).code).toBe(0)
    const again = await operate('users', 'remove', ...owner)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a member of') })
  })

  it('fails if the user does not exist', async () => {
    const words = ['--account', accountId, '--email', 'who@example.com', '--role', 'ADMIN']
    const { code, stderr } = await operate('users', 'set-role', ...words)
    expect(code).toBe(1)
    expect(stderr).toContain('There is no user who@example.com')
  })
})
