import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { type Migration, migrate } from '../core/migrate.ts'
import { listForeignTables, listOwnTables } from './own-tables.ts'
import { type NewData, replaceData } from './replace-data.ts'
import { withSnapshot } from './snapshot.ts'

const databases: TestDatabase[] = []
beforeAll(async () => {
  databases.push(await createTestDatabase(), await createTestDatabase({ empty: true }))
  databases.push(await createTestDatabase({ empty: true }))
})
afterAll(async () => {
  for (const database of databases) await database.drop()
})

describe('own tables', () => {
  it('are all that the migrations make, referenced ones first', async () => {
    const client = await databases[0]!.store.pool.connect()
    try {
      expect(await listForeignTables(client)).toEqual([])
      const names = (await listOwnTables(client)).map(({ name }) => name)
      expect(names).toContain('schema_migrations')
      for (const name of ['rate_windows', 'sign_ins', 'one_time_links']) expect(names).not.toContain(name)
      const { rows } = await client.query<{ from: string; to: string }>(`
        select conrelid::regclass::text as "from", confrelid::regclass::text as "to"
        from pg_constraint where contype = 'f' and conrelid <> confrelid`)
      for (const { from, to } of rows.filter(({ from }) => names.includes(from)))
        expect(names.indexOf(to)).toBeLessThan(names.indexOf(from))
    } finally {
      client.release()
    }
  })

  it('come over with the partitions that were made while running', async () => {
    const [source, target] = [databases[1]!.store.pool, databases[2]!.store.pool]
    const known: Migration[] = [
      {
        ...{ number: 1, name: '0001_parts', checksum: 'x' },
        sql: `create table days (id int generated always as identity, day date not null, note text, primary key (id, day))
          partition by range (day);
          create table notes (id int primary key, day_id int, day date, foreign key (day_id, day) references days)`,
      },
    ]
    await migrate(source, known)
    await source.query(`
      create table days_1 partition of days for values from ('2026-01-01') to ('2026-01-02');
      create table days_rest partition of days default;
      insert into days (day, note) values ('2026-01-01', 'one'), ('2030-01-01', 'rest');
      insert into notes values (1, 2, '2030-01-01')`)
    const { data, rows } = await withSnapshot(source, (snapshot) => readAll(snapshot), known)
    expect(data.tables.map(({ name }) => name)).toEqual(['days_1', 'days_rest', 'notes', 'schema_migrations'])

    const fill: Parameters<typeof replaceData>[2] = async (open) => {
      const loaded = new Map<string, number>()
      for (const table of data.tables) {
        const writer = open(table)
        for (const chunk of rows.get(table.name) ?? []) await writer.write(chunk)
        loaded.set(table.name, await writer.close())
      }
      return loaded
    }
    await replaceData(target, data, fill, known)
    const { rows: days } = await target.query(
      'select id, note, tableoid::regclass::text as part from days order by id',
    )
    expect(days).toEqual([
      { id: 1, note: 'one', part: 'days_1' },
      { id: 2, note: 'rest', part: 'days_rest' },
    ])
    const { rows: next } = await target.query(`insert into days (day) values ('2026-01-01') returning id`)
    expect(next).toEqual([{ id: 3 }])
  })
})

async function readAll(snapshot: Parameters<Parameters<typeof withSnapshot>[1]>[0]) {
  const rows = new Map<string, Buffer[]>()
  const tables: NewData['tables'] = []
  for (const table of snapshot.tables) {
    const chunks: Buffer[] = []
    for await (const chunk of snapshot.readRows(table)) chunks.push(chunk)
    rows.set(table.name, chunks)
    tables.push({ ...table, rows: Buffer.concat(chunks).toString().split('\n').length - 1 })
  }
  const data: NewData = { migrations: snapshot.migrations, tables, sequences: await snapshot.readSequences() }
  return { data, rows }
}
