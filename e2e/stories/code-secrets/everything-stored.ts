// Everything that an installation stores: rows of every table, and every file of its data directory.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'

export interface Stored {
  location: string
  bytes: Buffer
}

export async function* rowsOf(dataDir: string): AsyncGenerator<Stored> {
  const host = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4] as string
  const password = readFileSync(join(dataDir, 'postgres-password'), 'utf8').trim()
  const client = new pg.Client({ host, port: 5432, user: 'vedette', password, database: 'vedette' })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`,
    )
    for (const { name } of tables) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from ${name}`)
      for (const row of rows)
        for (const [column, value] of Object.entries(row)) yield* cell(`${name}.${column}`, value)
    }
  } finally {
    await client.end()
  }
}

function* cell(location: string, value: unknown): Generator<Stored> {
  if (value === null) return
  const bytes = Buffer.isBuffer(value)
    ? value
    : Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  yield { location, bytes }
}

/** Files may be deleted while they are read. */
export function* filesOf(folder: string): Generator<Stored> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  for (const { parentPath, name } of entries.filter((entry) => entry.isFile())) {
    const path = join(parentPath, name)
    try {
      yield { location: path.slice(folder.length + 1), bytes: readFileSync(path) }
    } catch {
      // Deleted meanwhile.
    }
  }
}
