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
  const store = openStore(
    { connectionString },
    { poolSize: config.DATABASE_POOL_SIZE, onError: logIdle(log) },
  )
  await waitUntilReachable(store, connectionString, log)
  return { store, location: locationOf(connectionString), close: () => store.close() }
}

const connectTimeoutMs = 30_000

/** In a compose file the database often starts later than this server. */
async function waitUntilReachable(store: Store, connectionString: string, log: Log): Promise<void> {
  const until = Date.now() + connectTimeoutMs
  let tries = 0
  for (;;) {
    try {
      await store.pool.query('select 1')
      return
    } catch (cause) {
      const problem = `PostgreSQL at ${locationOf(connectionString)} (DATABASE_URL) can't be reached: ${errorMessage(cause)}`
      if (Date.now() > until || isRefusal(cause)) throw new Error(problem, { cause })
      if (tries++ % 10 === 0) log.warn(`${problem}; trying again`)
      await sleep(1000)
    }
  }
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
  return /^(28|3D)/.test(errorCode(error) ?? '')
}

async function openEmbedded({ config, log, onLost }: DatabaseOptions): Promise<Database> {
  const closing = new AbortController()
  const { signal } = closing
  let restarting = Promise.resolve()
  const start = () =>
    startEmbedded({
      dataDir: config.DATA_DIR,
      log,
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
