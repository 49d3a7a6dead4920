// Opens the operator's PostgreSQL or the embedded one, which is restarted if it dies.

import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import type { Config } from './config.ts'
import type { Log } from './core/log.ts'
import { openStore, type Store } from './storage/core/db.ts'
import { dropBallast } from './storage/embedded/ballast.ts'
import { type Embedded, startEmbedded } from './storage/embedded/start.ts'

export interface Database {
  store: Store
  /** Address or directory, without a password. */
  location: string
  close(): Promise<void>
}

export interface DatabaseOptions {
  config: Config
  log: Log
  /** The embedded PostgreSQL died and couldn't be restarted. */
  onLost(error: Error): void
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { DATABASE_URL } = options.config
  return DATABASE_URL === undefined ? openEmbedded(options) : openExternal(DATABASE_URL, options)
}

async function openExternal(connectionString: string, { config, log }: DatabaseOptions): Promise<Database> {
  const { DATABASE_POOL_SIZE: poolSize, DATABASE_POOLING: pooling, DATABASE_DIRECT_URL: directUrl } = config
  const store = openStore(
    { connectionString },
    {
      poolSize,
      pooling,
      ...(directUrl !== undefined && { directConnection: { connectionString: directUrl } }),
      onError: logIdle(log),
      log,
    },
  )
  await waitUntilReachable(`${locationOf(connectionString)} (DATABASE_URL)`, log, async () => {
    await store.findPrimary()
    await store.pool.query('select 1')
  })
  if (directUrl !== undefined) {
    await waitUntilReachable(`${locationOf(directUrl)} (DATABASE_DIRECT_URL)`, log, () =>
      store.direct.query('select 1'),
    )
  }
  return { store, location: locationOf(connectionString), close: () => store.close() }
}

const connectTimeoutMs = 30_000

/** In a compose file the database often starts later than this server. */
async function waitUntilReachable(where: string, log: Log, reach: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + connectTimeoutMs
  let tries = 0
  for (;;) {
    try {
      await reach()
      return
    } catch (cause) {
      const problem = `PostgreSQL at ${where} can't be reached: ${errorMessage(cause)}${hintOf(cause)}`
      if (Date.now() > until || isRefusal(cause)) throw new Error(problem, { cause })
      if (tries++ % 10 === 0) log.warn(`${problem}; trying again`)
      await sleep(1000)
    }
  }
}

/** PgBouncer refuses the parameter by which a session limits its statements. */
const unsupportedParameter = /unsupported startup parameter/

function hintOf(error: unknown): string {
  return unsupportedParameter.test(errorMessage(error))
    ? '. This is PgBouncer: set DATABASE_POOLING=transaction, and DATABASE_DIRECT_URL to the URL of PostgreSQL itself'
    : ''
}

/** Without user and password. Not parsed as a URL: socket addresses have no host, which Node rejects. */
function locationOf(connectionString: string): string {
  return connectionString
    .replace(/^\w+:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(/([?&]password=)[^&]*/, '$1***')
}

/** Retrying doesn't help against a wrong password or database name. */
function isRefusal(error: unknown): boolean {
  const code = errorCode(error) ?? (error instanceof Error ? errorCode(error.cause) : undefined)
  return /^(28|3D)/.test(code ?? '') || unsupportedParameter.test(errorMessage(error))
}

/** Locks, listeners, commands, and what people connect. */
const otherConnections = 40

async function openEmbedded({ config, log, onLost }: DatabaseOptions): Promise<Database> {
  const closing = new AbortController()
  const { signal } = closing
  let restarting = Promise.resolve()
  const start = () =>
    startEmbedded({
      dataDir: config.DATA_DIR,
      log,
      // PostgreSQL takes memory for each possible connection.
      settings: [`max_connections=${config.DATABASE_POOL_SIZE + otherConnections}`],
      signal,
      onExit: (error) => {
        if (!signal.aborted) restarting = restart(error)
      },
    })
  // The disk may be full. Deleting the ballast file lets PostgreSQL start and free space.
  let embedded: Embedded = await start().catch(async (error) => {
    if (await dropBallast(config.DATA_DIR)) return start()
    throw error
  })
  const store = openStore(embedded.connection, { poolSize: config.DATABASE_POOL_SIZE, onError: logIdle(log) })

  async function restart(error: Error): Promise<void> {
    log.error({ err: error }, 'database.died')
    for (let attempt = 1; attempt <= 10; attempt++) {
      try {
        embedded = await start()
        // New connections use the new socket; the old ones are closed.
        Object.assign(store.pool.options, embedded.connection)
        log.warn({ attempt }, 'database.restarted')
        return
      } catch (cause) {
        if (signal.aborted) return
        log.error({ err: cause, attempt }, 'database.restart-failed')
        if (await dropBallast(config.DATA_DIR)) continue
        await sleep(Math.min(5000, 250 * 2 ** attempt), undefined, { signal }).catch(() => undefined)
      }
    }
    onLost(error)
  }

  return {
    store,
    location: config.DATA_DIR,
    async close() {
      closing.abort()
      await store.close()
      // Otherwise a PostgreSQL that is just being restarted would outlive this process.
      await restarting
      await embedded.stop()
    },
  }
}

function logIdle(log: Log): (error: Error) => void {
  return (error) => log.warn({ err: error }, 'database.connection-lost')
}
