// Opens PostgreSQL: typed queries (Kysely), and a pool for named statements.
import type { Page } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { collectAfterCommit } from './after-commit.ts'
import { Reader } from './reader.ts'
import { retryConflicts } from './retry-conflicts.ts'
import type { Tables } from './tables.generated.ts'

export type Db = Kysely<Tables>
export type Pool = pg.Pool

export interface Store {
  db: Db
  /** For statements that run often enough to be prepared under a name. */
  pool: pg.Pool
  /** For the hottest reads by key. */
  reader: Reader
  close(): Promise<void>
}

export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password: string; database: string }

export function openStore(
  connection: Connection,
  options: { poolSize: number; onError?: (error: Error) => void },
): Store {
  const pool = new pg.Pool({
    ...connection,
    max: options.poolSize,
    application_name: 'vedette',
    // Callers time out before that.
    statement_timeout: 30_000,
    connectionTimeoutMillis: 10_000,
    // A backend of PostgreSQL takes 7 MB. Those that are in use come first, so the others aren't needed.
    min: 2,
    idleTimeoutMillis: 2_000,
    types,
  })
  let isClosing = false
  // Without a listener, an idle connection that breaks (PostgreSQL restarts) ends the process.
  pool.on('error', (error) => {
    // pool.end() doesn't wait for its sockets, so errors on them are expected then.
    if (!isClosing) options.onError?.(error)
  })
  // A connection that breaks while in use fails its query and also emits this event, which needs a listener.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const reader = new Reader(pool)
  return {
    db,
    pool,
    reader,
    async close() {
      isClosing = true
      await reader.close()
      await db.destroy()
      // Kysely doesn't end a pool that it never used.
      if (!pool.ended) await pool.end()
    },
  }
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, isoInstant)

/** '2026-11-15 08:00:00.12+00' -> '2026-11-15T08:00:00.120Z'. Sessions run in UTC, so no Date is needed. */
export function isoInstant(text: string): string {
  if (!text.endsWith('+00') || text.length < 22) return new Date(text).toISOString()
  const fraction = text.length > 22 ? text.slice(20, -3) : ''
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}

const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  '57P01',
  '57P02',
  '57P03',
  '53100',
  '53200',
  '53300',
  '08006',
  '08001',
])

/** PostgreSQL is stopped, starting or out of disk, memory or connections: the caller should retry later. */
export function isStoreUnavailable(error: unknown): boolean {
  const code = errorCode(error)
  if (code !== undefined) return unavailableCodes.has(code)
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect/.test(error.message)
  )
}

/** A transaction of typed queries, retried after a deadlock or a serialization conflict. */
export function transact<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return retryConflicts(async () => {
    let runAfterCommit = () => {}
    const result = await db.transaction().execute((tx) => {
      runAfterCommit = collectAfterCommit(tx)
      return work(tx)
    })
    runAfterCommit()
    return result
  })
}

/** The name of the unique constraint or index that a statement violated, or null. */
export function violatedUnique(error: unknown): string | null {
  if (errorCode(error) !== '23505') return null
  return error instanceof pg.DatabaseError ? (error.constraint ?? '') : ''
}

/** A referenced row is absent, or still referenced. */
export function isForeignKeyViolation(error: unknown): boolean {
  return errorCode(error) === '23503'
}

/** For statements that return at least one row. */
export function firstRow<T>([row]: readonly T[]): T {
  if (row === undefined) throw new Error('The statement returned no row')
  return row
}

export interface PageRequest {
  limit: number
  page: number
}

export const countAll = sql<number>`count(*)`.as('total')

/** One page of a list and the total: the two queries of a `limit`/`page` route. */
export async function pageOf<T>(
  entries: { limit(limit: number): { offset(offset: number): { execute(): Promise<T[]> } } },
  count: { executeTakeFirstOrThrow(): Promise<{ total: number }> },
  { limit, page }: PageRequest,
): Promise<Page<T>> {
  const [items, { total }] = await Promise.all([
    entries
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    count.executeTakeFirstOrThrow(),
  ])
  return { items, total }
}
