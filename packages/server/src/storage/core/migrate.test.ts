import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type Migration, MigrationError, migrate, readMigrations } from './migrate.ts'

function migration(number: number, sql: string): Migration {
  return { number, name: `${number}`.padStart(4, '0'), sql, checksum: sql }
}

describe('migrate', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true })
  })
  beforeEach(() => database.store.pool.query('drop schema public cascade; create schema public'))
  afterAll(() => database.drop())

  const first = migration(1, 'create table a (id integer)')
  const second = migration(2, 'create table b (id integer)')
  const run = (...migrations: Migration[]) => migrate(database.store.pool, migrations)

  it('applies what is missing, in order, once', async () => {
    expect(await run(first)).toEqual(['0001'])
    expect(await run(first, second)).toEqual(['0002'])
    expect(await run(first, second)).toEqual([])
  })

  it('is done by one of several processes that start together', async () => {
    const applied = await Promise.all([run(first, second), run(first, second), run(first, second)])
    expect(applied.flat().sort()).toEqual(['0001', '0002'])
  })

  it('rolls back a migration that fails, and continues with it once it is fixed', async () => {
    const broken = migration(2, 'create table b (id integer); select 1 / 0')
    await expect(run(first, broken)).rejects.toThrow(/Migration 0002 failed: division by zero/)
    const { rows } = await database.store.pool.query(`select to_regclass('b') as b`)
    expect(rows).toEqual([{ b: null }])
    expect(await run(first, second)).toEqual(['0002'])
  })

  it('refuses data of a newer release', async () => {
    await run(first, second)
    await expect(run(first)).rejects.toThrow(MigrationError)
    await expect(run(first)).rejects.toThrow(/newer Vedette/)
  })

  it('refuses a migration that was edited after it was applied', async () => {
    await run(first)
    await expect(run(migration(1, 'create table other (id integer)'))).rejects.toThrow(/forward only/)
  })

  it('refuses a database with other tables, and creates nothing in it', async () => {
    await database.store.pool.query('create table somebody_elses (id integer)')
    await expect(run(first)).rejects.toThrow(/a database of its own/)
    const { rows } = await database.store.pool.query(
      `select tablename from pg_tables where schemaname = 'public'`,
    )
    expect(rows).toEqual([{ tablename: 'somebody_elses' }])
  })

  it('has numbers that are whole, in order and used once', () => {
    const numbers = readMigrations().map(({ number }) => number)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(numbers.every(Number.isInteger)).toBe(true)
  })
})
