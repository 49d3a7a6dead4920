// Brings the schema up to date: numbered SQL files, forward only, each in its own transaction, one process at a time.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { errorMessage } from '@vedette/safeguards/errors'
import type pg from 'pg'

export interface Migration {
  number: number
  name: string
  sql: string
  checksum: string
}

export class MigrationError extends Error {
  override name = 'MigrationError'
}

const folder = new URL('../../../migrations/', import.meta.url)
const lockKey = 727_001

export function readMigrations(): Migration[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => {
      const sql = readFileSync(new URL(file, folder), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { number: Number.parseInt(file, 10), name: file.replace(/\.sql$/, ''), sql, checksum }
    })
}

/** Returns the names of the migrations that it applied. */
export async function migrate(pool: pg.Pool, migrations: Migration[] = readMigrations()): Promise<string[]> {
  const client = await pool.connect()
  try {
    // A session lock: PostgreSQL releases it if this process dies.
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [lockKey])
    await refuseForeign(client)
    await client.query(`
      create table if not exists schema_migrations (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz(3) not null default now()
      )`)
    const { rows } = await client.query<{ number: number; name: string; checksum: string }>(
      'select number, name, checksum from schema_migrations order by number',
    )
    refuseUnknown(rows, migrations)
    const applied = new Set(rows.map((row) => row.number))
    const pending = migrations.filter((migration) => !applied.has(migration.number))
    for (const migration of pending) await apply(client, migration)
    return pending.map((migration) => migration.name)
  } finally {
    await client.query('select pg_advisory_unlock_all()').catch(() => undefined)
    client.release(true)
  }
}

/** Checks, before the first table is created, that the database isn't used by another program and may be written. */
async function refuseForeign(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{
    is_ours: boolean
    tables: number
    may_create: boolean
    who: string
    db: string
  }>(`
    select to_regclass('public.schema_migrations') is not null as is_ours,
      (select count(*) from pg_tables where schemaname = 'public') as tables,
      has_schema_privilege('public', 'create') as may_create, current_user as who, current_database() as db`)
  const [state] = rows
  if (state === undefined || state.is_ours) return
  if (!state.may_create) {
    throw new MigrationError(
      `The user ${state.who} may not create tables in the database ${state.db}. ` +
        `To allow it, run: alter database ${state.db} owner to ${state.who}`,
    )
  }
  if (state.tables > 0) {
    throw new MigrationError(
      `The database ${state.db} holds other tables: give Vedette a database of its own.`,
    )
  }
}

function refuseUnknown(
  rows: { number: number; name: string; checksum: string }[],
  migrations: Migration[],
): void {
  const known = new Map(migrations.map((migration) => [migration.number, migration]))
  for (const row of rows) {
    const migration = known.get(row.number)
    if (migration === undefined) {
      throw new MigrationError(
        `The data was written by a newer Vedette (schema ${row.name}). Start that release, or restore a backup of this one.`,
      )
    }
    if (migration.checksum !== row.checksum) {
      throw new MigrationError(
        `Migration ${row.name} has changed since it was applied to this data. Migrations are forward only: add a new one.`,
      )
    }
  }
}

async function apply(client: pg.PoolClient, migration: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(migration.sql)
    await client.query('insert into schema_migrations (number, name, checksum) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.checksum,
    ])
    await client.query('commit')
  } catch (cause) {
    await client.query('rollback').catch(() => undefined)
    throw new MigrationError(`Migration ${migration.name} failed: ${errorMessage(cause)}`, { cause })
  }
}
