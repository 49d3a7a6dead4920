import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { isStoreUnavailable, openStore, type Store } from './db.ts'
import { choosePrimary, type Probe } from './primary.ts'
import { announceServer, holdStore } from './server-presence.ts'
import { inTransaction } from './transaction.ts'

const host = (label: string) => ({ label, connectionString: `postgres://u@${label}/v` })
const [a, b] = [host('a:5432'), host('b:5432')]

describe('choosePrimary', () => {
  const writable = (of: Probe['host'], timeline = '00000001'): Probe => ({
    host: of,
    isWritable: true,
    timeline,
  })
  const standby = (of: Probe['host']): Probe => ({
    host: of,
    isWritable: false,
    timeline: '',
    reason: 'is a standby',
  })

  it('takes the host that accepts writes', () => {
    expect(choosePrimary([standby(a), writable(b)], a)).toBe(b)
  })

  it('stays with the current one if both accept writes', () => {
    expect(choosePrimary([writable(a), writable(b)], b)).toBe(b)
  })

  it('takes the one that was promoted last if the old primary came back', () => {
    expect(choosePrimary([writable(a, '00000001'), writable(b, '00000002')], a)).toBe(b)
  })

  it('names the reason of each host if none accepts writes', () => {
    expect(() => choosePrimary([standby(a), standby(b)], a)).toThrow(
      'None of the hosts accepts writes: a:5432 is a standby; b:5432 is a standby.',
    )
  })
})

/** A way to the PostgreSQL of the tests that can be cut, as the network to a host can. */
async function openFront(path: string) {
  const sockets = new Set<Socket>()
  const server = createServer((incoming) => {
    const outgoing = connect(path)
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async cut() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

describe('a store of several hosts', () => {
  let database: TestDatabase
  let fronts: Awaited<ReturnType<typeof openFront>>[]
  let store: Store
  const events: unknown[] = []

  beforeAll(async () => {
    database = await createTestDatabase()
    const { host: folder, port, user, password, database: name } = database.connection
    const path = `${folder}/.s.PGSQL.${port}`
    fronts = [await openFront(path), await openFront(path)]
    const hosts = fronts.map((front) => `127.0.0.1:${front.port}`).join(',')
    const note = (_: unknown, event?: unknown) => void events.push(event)
    store = openStore(
      { connectionString: `postgres://${user}:${encodeURIComponent(password)}@${hosts}/${name}` },
      { poolSize: 3, log: { debug: note, info: note, warn: note, error: note } },
    )
  })
  afterAll(async () => {
    await store.close()
    await fronts[1]?.cut()
    await database.drop()
  })

  it('goes on with the next host when the connection to the first one is lost', async () => {
    await store.findPrimary()
    const presence = await announceServer(store.direct)
    expect(await store.isWritable()).toBe(true)
    expect((await store.reader.query({ name: 'one', text: 'select 1 as one' })).rows).toEqual([{ one: 1 }])
    const pending = store.pool.query('select pg_sleep(60)')
    await fronts[0]?.cut()
    await expect(pending).rejects.toSatisfy(isStoreUnavailable)
    await expect.poll(() => store.isWritable()).toBe(true)
    expect((await store.reader.query({ name: 'one', text: 'select 1 as one' })).rows).toEqual([{ one: 1 }])
    expect(events).toContain('database.primary-moved')
    const held = `select count(*) as held from pg_locks l join pg_database d on d.oid = l.database
      where locktype = 'advisory' and objid = 727002 and datname = current_database()`
    await expect.poll(async () => (await store.pool.query(held)).rows).toEqual([{ held: 1 }])
    await presence.release()
  })
})

describe('a primary that is demoted', () => {
  let database: TestDatabase
  let admin: Store
  let store: Store
  let name: string
  beforeAll(async () => {
    database = await createTestDatabase()
    const { connection } = database
    name = connection.database
    admin = openStore({ ...connection, database: 'postgres' }, { poolSize: 1 })
    const { host: folder, port, user, password } = connection
    const query = new URLSearchParams({ host: folder, port: String(port) })
    store = openStore(
      { connectionString: `postgres://${user}:${encodeURIComponent(password)}@/${name}?${query}` },
      { poolSize: 3 },
    )
  })
  afterAll(async () => {
    await store.close()
    await admin.close()
    await database.drop()
  })

  it('gets no connections until it accepts writes again', async () => {
    const client = await store.pool.connect()
    const ended = new Promise<void>((resolve) => client.once('end', resolve))
    await admin.pool.query(`alter database ${name} set default_transaction_read_only = on`)
    // The session of before, as after the demotion of a host behind a virtual address.
    await client.query('set session characteristics as transaction read only')
    await expect(client.query('create table refused (id integer)')).rejects.toSatisfy(isStoreUnavailable)
    await ended
    client.release(true)
    expect(await store.isWritable()).toBe(false)
    await expect(store.pool.query('select 1')).rejects.toThrow(/is read-only: it is a standby/)
    await admin.pool.query(`alter database ${name} reset default_transaction_read_only`)
    expect(await store.isWritable()).toBe(true)
  })
})

describe('pooling by transactions', () => {
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    database = await createTestDatabase()
    const { connection } = database
    const options = { poolSize: 3, pooling: 'transaction', directConnection: connection } as const
    store = openStore(connection, options)
  })
  afterAll(async () => {
    await store.close()
    await database.drop()
  })

  it('has no named statements, and sends no setting of the session', async () => {
    const prepared = 'select count(*) as total from pg_prepared_statements'
    const total = await inTransaction(store.pool, async (client) => {
      await client.query({ name: 'twice', text: 'select 1' })
      return (await client.query<{ total: number }>(prepared)).rows[0]?.total
    })
    expect(total).toBe(0)
    expect((await store.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
    const read = await store.reader.query<{ total: number }>({ name: 'read', text: prepared })
    expect(read.rows).toEqual([{ total: 0 }])
  })

  it('keeps what belongs to a session on direct connections', async () => {
    expect(store.direct).not.toBe(store.pool)
    expect((await store.direct.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '30s' }])
    const command = await holdStore(store.direct, 'exclusive')
    expect(await holdStore(store.direct, 'shared')).toBeNull()
    await command?.release()
  })
})
