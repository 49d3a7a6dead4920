import type pg from 'pg'
import { readMigrations } from '../core/migrate.ts'

/** The schema of a database compared with this release. */
export type SchemaState = 'absent' | 'older' | 'current' | 'newer'

export interface AppliedMigration {
  number: number
  name: string
  checksum: string
}

export async function readSchemaState(pool: pg.Pool): Promise<SchemaState> {
  const { rows } = await pool.query<{ known: boolean }>(
    `select to_regclass('public.schema_migrations') is not null as known`,
  )
  if (rows[0]?.known !== true) return 'absent'
  return compareSchema(await listAppliedMigrations(pool))
}

export function compareSchema(applied: AppliedMigration[]): SchemaState {
  const known = readMigrations()
  if (applied.length === 0) return 'absent'
  const isKnown = (row: AppliedMigration) =>
    known.some(({ number, checksum }) => number === row.number && checksum === row.checksum)
  if (!applied.every(isKnown)) return 'newer'
  return applied.length === known.length ? 'current' : 'older'
}

export async function listAppliedMigrations(db: pg.Pool | pg.ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await db.query<AppliedMigration>(
    'select number, name, checksum from public.schema_migrations order by number',
  )
  return rows
}
