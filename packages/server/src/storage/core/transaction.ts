// Transactions of named (prepared) statements.
import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { collectAfterCommit, forgetAfterCommit, shareAfterCommit } from './after-commit.ts'
import type { Db } from './db.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** One connection within a transaction. */
export interface Client {
  query<R extends pg.QueryResultRow>(
    query: string | pg.QueryConfig,
    values?: unknown[],
  ): Promise<{ rows: R[] }>
}

/** A typed transaction as a connection, for statements written as SQL. */
export function clientOf(tx: Db): Client {
  const client: Client = {
    async query<R extends pg.QueryResultRow>(query: string | pg.QueryConfig, values?: unknown[]) {
      const { text, values: bound } = typeof query === 'string' ? { text: query, values } : query
      return tx.executeQuery<R>(CompiledQuery.raw(text, bound ?? []))
    },
  }
  shareAfterCommit(tx, client)
  return client
}

/** Retried after a deadlock or a serialization conflict. */
export function inTransaction<T>(pool: pg.Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return retryConflicts(() => runOnce(pool, work))
}

async function runOnce<T>(pool: pg.Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    const runAfterCommit = collectAfterCommit(client)
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    runAfterCommit()
    return result
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      // The state of the connection is unknown, so the pool must discard it.
      broken = cause
    })
    throw error
  } finally {
    forgetAfterCommit(client)
    client.release(broken)
  }
}
