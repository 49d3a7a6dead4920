// Opens the store: the user's own PostgreSQL, or the embedded one, which is started again should it die.

import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import type { Config } from './config.ts'
import type { Log } from './core/log.ts'
import { openStore, type Store } from './storage/core/db.ts'
import { dropBallast } from './storage/embedded/ballast.ts'
import { type Embedded, startEmbedded } from './storage/embedded/start.ts'

export interface Database {
  store: Store
  /** Where it is, in words without a password. */
  place: string
  close(): Promise<void>
}

export interface DatabaseOptions {
  config: Config
  log: Log
  /** The embedded PostgreSQL died and could not be brought back. */
  onLost(error: Error): void
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.config.DATABASE_URL === undefined ? openEmbedded(options) : openOwn(options)
}

async function openOwn({ config, log }: DatabaseOptions): Promise<Database> {
  const connectionString = config.DATABASE_URL as string
  const store = openStore(
    { connectionString },
    { poolSize: config.DATABASE_POOL_SIZE, onError: logIdle(log) },
  )
  await waitUntilReachable(store, connectionString, log)
  return { store, place: placeOf(connectionString), close: () => store.close() }
}

const patienceMs = 30_000

/** In a compose file the database often starts a moment later than we do. */
async function waitUntilReachable(store: Store, connectionString: string, log: Log): Promise<void> {
  const until = Date.now() + patienceMs
  let tries = 0
  for (;;) {
    try {
      await store.pool.query('select 1')
      return
    } catch (cause) {
      const problem = `PostgreSQL at ${placeOf(connectionString)} (DATABASE_URL) can't be reached: ${errorMessage(cause)}`
      if (Date.now() > until || isRefusal(cause)) throw new Error(problem, { cause })
      if (tries++ % 10 === 0) log.warn(`${problem}; trying again`)
      await sleep(1000)
    }
  }
}

/** Where it is, without user and password. Socket addresses have no host, which is no URL to Node. */
function placeOf(connectionString: string): string {
  return connectionString
    .replace(/^\w+:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(/([?&]password=)[^&]*/, '$1***')
}

/** A wrong password or database name does not mend itself. */
function isRefusal(error: unknown): boolean {
  return /^(28|3D)/.test(errorCode(error) ?? '')
}

async function openEmbedded({ config, log, onLost }: DatabaseOptions): Promise<Database> {
  let isClosing = false
  const start = () =>
    startEmbedded({
      dataDir: config.DATA_DIR,
      log,
      onExit: (error) => {
        if (!isClosing) restart(error)
      },
    })
  // A full disk may be what ended the last run: with the ballast gone PostgreSQL can start, and make room.
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
        // Connections made from now on go to the new socket; the old ones are dead already.
        Object.assign(store.pool.options, embedded.connection)
        log.warn({ attempt }, 'database.restarted')
        return
      } catch (cause) {
        log.error({ err: cause, attempt }, 'database.restart-failed')
        if (await dropBallast(config.DATA_DIR)) continue
        await sleep(Math.min(5000, 250 * 2 ** attempt))
      }
    }
    onLost(error)
  }

  return {
    store,
    place: config.DATA_DIR,
    async close() {
      isClosing = true
      await store.close()
      await embedded.stop()
    },
  }
}

function logIdle(log: Log): (error: Error) => void {
  return (error) => log.warn({ err: error }, 'database.connection-lost')
}
