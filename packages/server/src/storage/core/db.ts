// Opens PostgreSQL: typed queries (Kysely), and pools for named statements and for session state.
import type { Page } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Log } from '../../core/log.ts'
import { collectAfterCommit } from './after-commit.ts'
import { isRefusedByCluster } from './distribution.ts'
import { type Connection, openPool } from './pool.ts'
import { NoPrimaryError } from './primary.ts'
import { Reader } from './reader.ts'
import { retryConflicts } from './retry-conflicts.ts'
import type { Tables } from './tables.generated.ts'

export type Db = Kysely<Tables>
export type Pool = pg.Pool

export interface Store {
  db: Db
  /** For statements that run often enough to be prepared under a name. */
  pool: pg.Pool
  /** For session state: advisory locks that outlive a transaction, and `set`. With PgBouncer it isn't used for `pool`. */
  direct: pg.Pool
  /** For the hottest reads by key. */
  reader: Reader
  /** Finds the primary among several hosts; throws if none accepts writes. */
  findPrimary(): Promise<void>
  /** Whether the primary responds. A server calls it periodically, so that connections to a demoted primary are closed. */
  isWritable(): Promise<boolean>
  close(): Promise<void>
}

export interface StoreOptions {
  poolSize: number
  /** transaction: PgBouncer may give each transaction another session of PostgreSQL. */
  pooling?: 'session' | 'transaction'
  /** Required with `pooling: 'transaction'`: a connection with a session of its own. */
  directConnection?: Connection
  onError?: (error: Error) => void
  log?: Log
}

export function openStore(connection: Connection, options: StoreOptions): Store {
  const { pooling = 'session', directConnection, ...shared } = options
  const main = openPool(connection, { ...shared, pooling, types })
  const direct =
    directConnection === undefined
      ? main
      : openPool(directConnection, { ...shared, poolSize: 3, pooling: 'session', types })
  const pools = new Set([main, direct])
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: main.pool }) })
  const reader = new Reader(main.pool, { isPipelined: pooling === 'session' })
  return {
    db,
    pool: main.pool,
    direct: direct.pool,
    reader,
    async findPrimary() {
      for (const { findPrimary } of pools) await findPrimary()
    },
    async isWritable() {
      const replies = await Promise.all([...pools].map((one) => one.isWritable()))
      return replies.every(Boolean)
    },
    async close() {
      await reader.close()
      await db.destroy()
      for (const { close } of pools) await close()
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
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EPIPE',
  // The primary was demoted.
  '25006',
  '57P01',
  '57P02',
  '57P03',
  '53100',
  '53200',
  '53300',
  '08006',
  '08001',
  // PgBouncer has no connection to PostgreSQL.
  '08P01',
])

/** PostgreSQL, or a machine of it, is stopped, starting, a standby, or out of disk, memory or connections: the caller should retry later. */
export function isStoreUnavailable(error: unknown): boolean {
  if (error instanceof NoPrimaryError) return true
  const code = errorCode(error)
  if (code !== undefined) return unavailableCodes.has(code) || isChangingLayout(error)
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|not queryable/.test(
      error.message,
    )
  )
}

/**
 * A table is being distributed: a prepared statement knows its former layout, or joins it with one that is still elsewhere. Any other
 * statement that PostgreSQL doesn't support is a mistake of ours.
 */
function isChangingLayout(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code !== '0A000') return false
  return error.routine === 'RevalidateCachedQuery' || isRefusedByCluster(error)
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
