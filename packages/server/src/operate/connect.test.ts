import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionOfRunning } from '../storage/embedded/start.ts'
import { createTestDatabase } from '../testing/database.ts'
import {
  databaseUrl,
  type Furnished,
  furnish,
  newDataDir,
  operate,
  operateProcess,
  withEmbedded,
} from '../testing/operator.ts'

const dataDir = newDataDir()
const environment = { DATA_DIR: dataDir }
let furnished: Furnished

beforeAll(async () => {
  furnished = await withEmbedded(dataDir, (store) => furnish(store, dataDir))
})
afterAll(() => rmSync(dirname(dataDir), { recursive: true, force: true }))

describe('on the embedded PostgreSQL', () => {
  it('starts it for the command and stops it afterwards', async () => {
    const { code, json } = await operateProcess(environment, 'accounts', 'list', '--json')
    expect(code).toBe(0)
    expect(json).toMatchObject([{ id: furnished.accountId, members: 1 }])
    expect(connectionOfRunning(dataDir)).toBeNull()
    expect(existsSync(join(dataDir, 'server.lock'))).toBe(false)
  })

  it('stops it after an error too', async () => {
    expect((await operateProcess(environment, 'keys', 'create', '--email', 'who@example.com')).code).toBe(1)
    expect(connectionOfRunning(dataDir)).toBeNull()
  })

  it('uses that of a running server, and leaves it running', async () => {
    await withEmbedded(dataDir, async (store) => {
      const { code, stdout } = await operate(environment, 'users', 'list')
      expect(code).toBe(0)
      expect(stdout).toContain('owner@example.com')
      expect((await store.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    })
  })

  it('asks for a first start if there is no data yet, and creates nothing', async () => {
    const empty = join(dirname(dataDir), 'empty')
    mkdirSync(empty)
    const { code, stderr } = await operate({ DATA_DIR: empty }, 'accounts', 'list')
    expect(code).toBe(1)
    expect(stderr).toContain('start the server once first')
    expect(existsSync(join(empty, 'postgres'))).toBe(false)
  })
})

describe('on an external PostgreSQL', () => {
  it('asks for a first start if the database is empty', async () => {
    const database = await createTestDatabase({ empty: true })
    try {
      const ran = await operate({ DATABASE_URL: databaseUrl(database.connection) }, 'accounts', 'list')
      expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('start the server once first') })
    } finally {
      await database.drop()
    }
  })

  it('refuses data of another release', async () => {
    const database = await createTestDatabase()
    try {
      const url = { DATABASE_URL: databaseUrl(database.connection) }
      await database.store.pool.query(`insert into schema_migrations values (9999, '9999_later', 'x')`)
      expect((await operate(url, 'accounts', 'list')).stderr).toContain('another release')
      await database.store.pool.query('delete from schema_migrations where number > 4')
      expect((await operate(url, 'accounts', 'list')).stderr).toContain('an older release')
    } finally {
      await database.drop()
    }
  })

  it('reports in one line why it cannot be reached', async () => {
    const ran = await operate({ DATABASE_URL: 'postgresql://u:secretpw@127.0.0.1:1/db' }, 'accounts', 'list')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') })
    expect(ran.stderr).not.toContain('secretpw')
    expect(ran.stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('the command line', () => {
  it('shows the commands of a group', async () => {
    expect(await operate(environment, 'accounts')).toMatchObject({ code: 2, stdout: '' })
    const help = await operate(environment, 'accounts', '--help')
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('vedette accounts set-plan ID PLAN'),
    })
    expect(help.stdout).not.toContain('vedette keys')
  })

  it.each([
    [['accounts', 'frobnicate'], 'unknown command "accounts frobnicate"'],
    [['constructor'], 'unknown command "constructor'],
    [['accounts', 'list', 'what'], 'Unexpected argument: "what".'],
    [['accounts', 'set-plan'], 'An argument is missing'],
    [['keys', 'list', '--account'], "'--account <value>' argument missing"],
  ])('%j is a usage error', async (argv, message) => {
    const { code, stderr } = await operate(environment, ...argv)
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(stderr).toContain('Usage:')
  })
})
