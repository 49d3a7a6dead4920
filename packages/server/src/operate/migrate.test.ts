import { rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

describe('vedette migrate', () => {
  it('changes nothing if the schema is up to date', async () => {
    expect((await operate('migrate')).stdout).toBe('The schema is up to date.\n')
  })

  it('creates the schema in an empty database', async () => {
    await database.store.pool.query('drop schema public cascade; create schema public')
    const { code, json } = await operate('migrate', '--json')
    expect(code).toBe(0)
    expect(json.applied[0]).toMatch(/^0001_/)
    const { rows } = await database.store.pool.query('select name from schema_migrations order by number')
    expect(rows.map(({ name }) => name)).toEqual(json.applied)
  })

  it('refuses the data of a newer release', async () => {
    await database.store.pool.query(
      "insert into schema_migrations (number, name, checksum) values (9999, '9999_later', 'x')",
    )
    const { code, stderr } = await operate('migrate')
    expect([code, stderr]).toEqual([1, expect.stringContaining('written by a newer Vedette')])
  })

  it('creates no embedded database if DATABASE_URL is missing', async () => {
    const { code, stderr } = await run({ DATA_DIR: dataDir }, 'migrate')
    expect([code, stderr]).toEqual([1, expect.stringContaining('DATABASE_URL is not set')])
  })
})
