import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { announceServer, holdStore } from './server-presence.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('presence on a store', () => {
  it('lets servers and commands share it, and refuses exclusive access meanwhile', async () => {
    const { pool } = database.store
    const servers = [await announceServer(pool), await announceServer(pool)]
    const command = await holdStore(pool, 'shared')
    expect(command).not.toBeNull()
    expect(await holdStore(pool, 'exclusive')).toBeNull()
    await Promise.all([...servers, command!].map((presence) => presence.release()))
    const alone = await takeAlone()
    expect(await holdStore(pool, 'shared')).toBeNull()
    await alone.release()
  })

  it('lets a server wait until a restore is done', async () => {
    const alone = await takeAlone()
    let isAnnounced = false
    const announcing = announceServer(database.store.pool).then((presence) => {
      isAnnounced = true
      return presence
    })
    await expect.poll(countClients).toBe(2)
    expect(isAnnounced).toBe(false)
    await alone.release()
    await (await announcing).release()
  })

  it('announces a server again when its connection is lost', async () => {
    const server = await announceServer(database.store.pool)
    const before = await holders()
    await database.store.pool.query('select pg_terminate_backend($1)', [before[0]])
    await expect.poll(async () => (await holders())[0] ?? before[0]).not.toBe(before[0])
    expect(await holdStore(database.store.pool, 'exclusive')).toBeNull()
    await server.release()
    await expect.poll(holders).toEqual([])
  })
})

/** PostgreSQL gives a lock back a moment after its connection has ended. */
async function takeAlone() {
  let presence: Awaited<ReturnType<typeof holdStore>> = null
  await expect
    .poll(async () => {
      presence = await holdStore(database.store.pool, 'exclusive')
      return presence !== null
    })
    .toBe(true)
  return presence!
}

async function holders(): Promise<number[]> {
  const { rows } = await database.store.pool.query<{ pid: number }>(
    `select pid from pg_locks where locktype = 'advisory' and objid = 727002
      and database = (select oid from pg_database where datname = current_database())`,
  )
  return rows.map(({ pid }) => pid)
}

async function countClients(): Promise<number> {
  const { rows } = await database.store.pool.query<{ count: number }>(
    `select count(*) from pg_stat_activity where datname = current_database() and query like '%pg_try_advisory_lock%'
      and pid <> pg_backend_pid()`,
  )
  return rows[0]!.count
}
