import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { isoInstant, isStoreUnavailable, transact } from './db.ts'
import { Reader } from './reader.ts'

describe('isoInstant', () => {
  it.each([
    ['2026-11-15 08:00:00+00', '2026-11-15T08:00:00.000Z'],
    ['2026-11-15 08:00:00.1+00', '2026-11-15T08:00:00.100Z'],
    ['2026-11-15 08:00:00.123+00', '2026-11-15T08:00:00.123Z'],
    ['2026-11-15 08:00:00.123456+00', '2026-11-15T08:00:00.123Z'],
    ['2026-11-15 10:00:00+02', '2026-11-15T08:00:00.000Z'],
  ])('%s', (text, expected) => {
    expect(isoInstant(text)).toBe(expected)
  })
})

describe('a store', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())

  it('retries a transaction that was the victim of a deadlock', async () => {
    const { db } = database.store
    await sql`create table pair (id integer primary key, n integer not null)`.execute(db)
    await sql`insert into pair values (1, 0), (2, 0)`.execute(db)
    let waiting = 0
    let release: () => void = () => undefined
    const both = new Promise<void>((resolve) => {
      release = resolve
    })
    const cross = (first: number, second: number) =>
      transact(db, async (tx) => {
        await sql`update pair set n = n + 1 where id = ${first}`.execute(tx)
        waiting += 1
        if (waiting === 2) release()
        await both
        await sql`update pair set n = n + 1 where id = ${second}`.execute(tx)
      })
    await Promise.all([cross(1, 2), cross(2, 1)])
    const { rows } = await sql<{ n: number }>`select n from pair order by id`.execute(db)
    expect(rows).toEqual([{ n: 2 }, { n: 2 }])
  })

  it('survives broken connections, in use or idle', async () => {
    const { pool } = database.store
    const cut = pool.query('select pg_terminate_backend(pg_backend_pid())')
    await expect(cut).rejects.toSatisfy(isStoreUnavailable)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  it('closes the connection of a reader that nobody uses, and opens another for the next query', async () => {
    const { pool } = database.store
    const reader = new Reader(pool, { isPipelined: true, idleMs: 20 })
    const read = async () =>
      (await reader.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid
    const first = await read()
    const open = () => pool.query('select from pg_stat_activity where pid = $1', [first])
    await expect.poll(async () => (await open()).rowCount).toBe(0)
    expect(await read()).not.toBe(first)
    await reader.close()
  })

  it('is not unavailable because a statement is unsupported', async () => {
    const error = await database.store.pool
      .query('select count(*) from pg_class for update')
      .catch((caught: unknown) => caught)
    expect(error).toMatchObject({ code: '0A000' })
    expect(isStoreUnavailable(error)).toBe(false)
  })

  it('is unavailable while a statement joins tables of which only some are distributed', () => {
    const message = 'direct joins between distributed and local tables are not supported'
    const error = Object.assign(new pg.DatabaseError(message, 0, 'error'), {
      code: '0A000',
      routine: 'planner',
    })
    expect(isStoreUnavailable(error)).toBe(true)
  })

  it('is unavailable to a prepared statement whose table has changed', async () => {
    const client = await database.store.pool.connect()
    try {
      await client.query('create temp table changed (one int)')
      const statement = { name: 'changed', text: 'select * from changed' }
      await client.query(statement)
      await client.query('alter table changed add column two int')
      await expect(client.query(statement)).rejects.toSatisfy(isStoreUnavailable)
    } finally {
      client.release(true)
    }
  })
})
