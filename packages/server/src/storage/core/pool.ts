// The only module that connects to the operator's PostgreSQL: pools, and connections outside of them.
import pg from 'pg'
import { databaseHostsOf } from '../../config/database-url.ts'
import type { Log } from '../../core/log.ts'
import { Primary } from './primary.ts'

export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password: string; database: string }

export interface OpenPool {
  pool: pg.Pool
  findPrimary(): Promise<void>
  isWritable(): Promise<boolean>
  close(): Promise<void>
}

interface PoolOptions {
  poolSize: number
  pooling: 'session' | 'transaction'
  types: pg.TypeOverrides
  onError?: (error: Error) => void
  log?: Log
}

/** Callers time out before that. */
const statementTimeoutMs = 30_000

/** A new connection plans its statements again; several servers otherwise open two a second. What that costs isn't measured well. */
const idle = { min: 2, idleTimeoutMillis: 30_000 }
/** A backend of PostgreSQL takes 7 to 15 MB of this machine, and more with each statement that it has planned. */
const idleEmbedded = { min: 1, idleTimeoutMillis: 2_000, maxLifetimeSeconds: 300 }

export function openPool(connection: Connection, options: PoolOptions): OpenPool {
  const hosts = 'connectionString' in connection ? databaseHostsOf(connection.connectionString) : []
  const [first] = hosts
  const primary = first === undefined ? null : new Primary({ hosts, onMove: use, log: options.log })
  const pool = new pg.Pool({
    ...(first === undefined ? connection : { connectionString: first.connectionString }),
    max: options.poolSize,
    application_name: 'vedette',
    // PgBouncer refuses statement_timeout as a startup parameter.
    ...(options.pooling === 'session'
      ? { statement_timeout: statementTimeoutMs }
      : { query_timeout: statementTimeoutMs }),
    connectionTimeoutMillis: 10_000,
    // Those that are in use come first, so the others aren't needed.
    ...('connectionString' in connection ? idle : idleEmbedded),
    types: options.types,
    onConnect: async (client) => {
      if (!(client instanceof pg.Client)) return
      if (options.pooling === 'transaction') dropStatementNames(client)
      await primary?.admit(client)
    },
  })
  function use({ connectionString }: { connectionString: string }): void {
    pool.options.connectionString = connectionString
  }
  let isClosing = false
  // Without a listener, an idle connection that breaks (PostgreSQL restarts) ends the process.
  pool.on('error', (error) => {
    // pool.end() doesn't wait for its sockets, so errors on them are expected then.
    if (!isClosing) options.onError?.(error)
  })
  // A connection that breaks while in use fails its query and also emits this event, which needs a listener.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    pool,
    findPrimary: async () => primary?.find(),
    isWritable: () => (primary === null ? isReachable(pool) : primary.verify(pool)),
    async close() {
      isClosing = true
      primary?.close()
      // Kysely ends a pool that it used.
      if (!pool.ending) await pool.end()
    },
  }
}

/** A connection outside the pool, to the same PostgreSQL. */
export async function connectBeside(pool: pg.Pool, extra: pg.ClientConfig = {}): Promise<pg.Client> {
  // Read each time: the primary may have moved, and an embedded PostgreSQL has another socket after a restart.
  // The password isn't enumerable, so a spread leaves it out.
  const { options } = pool
  const client = new pg.Client({ ...options, password: options.password, ...extra })
  client.on('error', () => undefined)
  await client.connect()
  try {
    await options.onConnect?.(client)
    return client
  } catch (error) {
    await client.end().catch(() => undefined)
    throw error
  }
}

async function isReachable(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query('select 1')
    return true
  } catch {
    return false
  }
}

/** Statements without a name are parsed each time: a named one would exist in one session of PostgreSQL only. */
function dropStatementNames(client: pg.Client): void {
  client.query = new Proxy(client.query, {
    apply(query, self, [statement, ...rest]) {
      const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement
      return Reflect.apply(query, self, [isNamed ? { ...statement, name: undefined } : statement, ...rest])
    },
  })
}
