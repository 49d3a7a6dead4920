import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findTotp, insertTotp, unsealTotpSecret } from '../storage/accounts/second-factors.ts'
import { openSecretKey } from '../storage/core/secret-key.ts'
import { announceServer } from '../storage/core/server-presence.ts'
import { unsealDeep, type Vault } from '../storage/core/vault.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import {
  databaseUrl,
  type Furnished,
  furnish,
  hiddenText,
  newDataDir,
  operate as run,
} from '../testing/operator.ts'

let database: TestDatabase
let dataDir: string
let furnished: Furnished
const environment = () => ({ DATABASE_URL: databaseUrl(database.connection), DATA_DIR: dataDir })
const operate = (...argv: string[]) => run(environment(), ...argv)
const open = (fromEnvironment?: string) => openSecretKey({ store: database.store, dataDir, fromEnvironment })
const file = (name: string) => join(dataDir, name)

beforeEach(async () => {
  database = await createTestDatabase()
  dataDir = newDataDir()
})
afterEach(async () => {
  await database.drop()
  rmSync(dirname(dataDir), { recursive: true, force: true })
})

describe('secret-key rotate, with the key in a file', () => {
  beforeEach(async () => {
    furnished = await furnish(database.store, dataDir)
  })

  it('seals every secret of every table again, however deep, and changes nothing else', async () => {
    const { accountId, vault } = furnished
    const settings = {
      header: 'plain',
      nested: [{ value: vault.seal(accountId, 'deep') }, null, 3.5, '"$sealed"'],
      text: '{"$sealed": "v1:only text"}',
    }
    await insertDashboard(accountId, settings)
    // More than one batch.
    for (let n = 0; n < 450; n++)
      await insertVariable(accountId, `N${n}`, vault.seal(accountId, `value ${n}`))
    await insertVariable(accountId, 'PLAIN', 'not secret')
    // Sealed for a user, not for an account.
    const { id: userId } = furnished.owner
    const factor = { userId, secret: 'ABC', step: 1, now: Date.now() }
    await insertTotp(database.store.db, vault, factor)
    const ran = await operate('secret-key', 'rotate', '--json')
    expect(ran).toMatchObject({ code: 0, json: { values: 453, unreadable: [] } })
    const totp = await findTotp(database.store.db, userId)
    expect(totp && unsealTotpSecret(await open(), totp)).toBe('ABC')

    const rotated = await open()
    expect(rotated.fingerprint).toBe(ran.json.fingerprint)
    expect(rotated.fingerprint).not.toBe(vault.fingerprint)
    const values = await readVariables(rotated)
    expect(values).toMatchObject({
      HIDDEN: hiddenText,
      PLAIN: 'not secret',
      N0: 'value 0',
      N449: 'value 449',
    })
    const dashboard = await database.store.db
      .selectFrom('dashboards')
      .select('settings')
      .executeTakeFirstOrThrow()
    const opened = { ...settings, nested: [{ value: 'deep' }, null, 3.5, '"$sealed"'] }
    expect(unsealDeep(rotated, accountId, dashboard.settings)).toEqual(opened)
    await expect(readVariables(vault)).rejects.toThrow()
  })

  it('replaces the old key, which no longer works', async () => {
    const old = readFileSync(file('secret-key'), 'utf8')
    expect((await operate('secret-key', 'rotate')).code).toBe(0)
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
    expect(statSync(file('secret-key')).mode & 0o777).toBe(0o600)
    expect(readFileSync(file('secret-key'), 'utf8')).not.toBe(old)
    await expect(open(old.trim())).rejects.toThrow("SECRET_KEY isn't the key")
    expect((await operate('secret-key', 'show-fingerprint', '--json')).json).toMatchObject({ isRight: true })
  })

  it('recovers at the next start from an interruption between commit and rename', async () => {
    const old = readFileSync(file('secret-key'), 'utf8')
    await operate('secret-key', 'rotate')
    writeFileSync(file('secret-key.next'), readFileSync(file('secret-key')))
    writeFileSync(file('secret-key'), old)
    expect(await readVariables(await open())).toEqual({ HIDDEN: hiddenText })
    expect(readdirSync(dataDir)).toEqual(['secret-key'])
  })

  it('reads the new key from a file', async () => {
    const mine = join(dirname(dataDir), 'mine')
    writeFileSync(mine, 'a key that I have chosen\n')
    expect((await operate('secret-key', 'rotate', '--new-key-file', mine)).code).toBe(0)
    expect(await readVariables(await open('a key that I have chosen'))).toEqual({ HIDDEN: hiddenText })
    expect(readFileSync(file('secret-key'), 'utf8').trim()).toBe('a key that I have chosen')
    const again = await operate('secret-key', 'rotate', '--new-key-file', mine)
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('is the one in use') })
    writeFileSync(mine, 'short')
    expect((await operate('secret-key', 'rotate', '--new-key-file', mine)).stderr).toContain('too short')
  })

  it('refuses while a server runs', async () => {
    const server = await announceServer(database.store.pool)
    const ran = await operate('secret-key', 'rotate')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('stop the server first') })
    await server.release()
    expect((await open()).fingerprint).toBe(furnished.vault.fingerprint)
  })

  it('changes nothing if a value cannot be opened, unless --leave-unreadable is set', async () => {
    await insertVariable(furnished.accountId, 'ODD', {
      $sealed: 'v1:bm90IHNlYWxlZCBieSB1cywgYnV0IGxvbmcgZW5vdWdo',
    })
    const refused = await operate('secret-key', 'rotate')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`doesn't open variables.value of account ${furnished.accountId}`)
    const before = await open()
    expect(before.fingerprint).toBe(furnished.vault.fingerprint)
    const ran = await operate('secret-key', 'rotate', '--leave-unreadable', '--json')
    expect(ran.json).toMatchObject({
      values: 1,
      unreadable: [`variables.value of account ${furnished.accountId}`],
    })
  })
})

describe('secret-key rotate, with SECRET_KEY in the environment', () => {
  it('requires the new key in a file, and prints what to set', async () => {
    const SECRET_KEY = 'the key of the environment'
    furnished = await furnish(database.store, dataDir, SECRET_KEY)
    const rotate = (...argv: string[]) =>
      run({ ...environment(), SECRET_KEY }, 'secret-key', 'rotate', ...argv)
    expect(await rotate()).toMatchObject({ code: 1, stderr: expect.stringContaining('--new-key-file') })
    const next = join(dirname(dataDir), 'next')
    writeFileSync(next, 'the next key of the environment')
    expect(await rotate('--new-key-file', next)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`set SECRET_KEY to the content of ${next}`),
    })
    expect(await readVariables(await open('the next key of the environment'))).toEqual({ HIDDEN: hiddenText })
    expect(await rotate('--new-key-file', next)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("SECRET_KEY isn't the key that the data was sealed with"),
    })
  })
})

async function readVariables(vault: Vault): Promise<Record<string, unknown>> {
  const rows = await database.store.db
    .selectFrom('variables')
    .select(['account_id', 'key', 'value'])
    .execute()
  return Object.fromEntries(rows.map((row) => [row.key, unsealDeep(vault, row.account_id, row.value)]))
}

async function insertVariable(accountId: string, key: string, value: unknown): Promise<void> {
  const values = { account_id: accountId, key, value: JSON.stringify(value), locked: false, secret: true }
  await database.store.db.insertInto('variables').values(values).execute()
}

async function insertDashboard(accountId: string, settings: unknown): Promise<void> {
  const values = { account_id: accountId, dashboard_id: randomUUID(), is_private: false, tags: [] }
  await database.store.db
    .insertInto('dashboards')
    .values({ ...values, settings: JSON.stringify(settings) })
    .execute()
}
