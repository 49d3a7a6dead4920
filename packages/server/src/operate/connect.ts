// Opens the store for one command: the PostgreSQL of DATABASE_DIRECT_URL or DATABASE_URL, that of the running server, or the
// embedded one, which is started for the command.
import { existsSync } from 'node:fs'
import type { Config } from '../config.ts'
import { createLog } from '../core/log.ts'
import { readSchemaState } from '../storage/backup/schema-state.ts'
import { openStore, type Store } from '../storage/core/db.ts'
import type { Connection } from '../storage/core/pool.ts'
import { holdStore } from '../storage/core/server-presence.ts'
import { lockDataDir } from '../storage/embedded/lock.ts'
import { clusterDirOf } from '../storage/embedded/settings.ts'
import { connectionOfRunning, startEmbedded } from '../storage/embedded/start.ts'
import { OperatorError } from './command.ts'

export interface Requirements {
  /** exclusive: no server and no other command may use the data. */
  access?: 'shared' | 'exclusive'
  /** current: the schema of this release; known: also an older one; any: also none. */
  schema?: 'current' | 'known' | 'any'
}

const neverStarted = 'There is no Vedette data here yet: start the server once first.'

export async function withStore<T>(
  config: Config,
  requirements: Requirements,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const opened = await openConnection(config, requirements)
  const store = openStore(opened.connection, { poolSize: 4 })
  const finish = once(async () => {
    await store.close().catch(() => undefined)
    await opened.close()
  })
  const removeHandlers = onSignal(opened.close)
  try {
    await store.findPrimary()
    const presence = await holdStore(store.pool, requirements.access ?? 'shared')
    if (presence === null) throw new OperatorError(inUseMessage(requirements))
    try {
      await checkSchema(store, requirements)
      return await work(store)
    } finally {
      await presence.release().catch(() => undefined)
    }
  } finally {
    await finish()
    removeHandlers()
  }
}

interface Opened {
  connection: Connection
  close(): Promise<void>
}

async function openConnection(config: Config, requirements: Requirements): Promise<Opened> {
  const nothingToClose = async () => undefined
  const url = config.DATABASE_DIRECT_URL ?? config.DATABASE_URL
  if (url !== undefined) {
    return { connection: { connectionString: url }, close: nothingToClose }
  }
  const running = connectionOfRunning(config.DATA_DIR)
  if (running !== null) return { connection: running, close: nothingToClose }
  if (requirements.schema !== 'any' && !existsSync(clusterDirOf(config.DATA_DIR))) {
    throw new OperatorError(`${neverStarted} (DATA_DIR is ${config.DATA_DIR}; DATABASE_URL is not set.)`)
  }
  const lock = lockDataDir(config.DATA_DIR)
  try {
    const log = createLog(config.LOG_LEVEL === 'debug' ? 'debug' : 'error')
    const embedded = await startEmbedded({ dataDir: config.DATA_DIR, log })
    const close = once(async () => {
      await embedded.stop()
      lock.release()
    })
    return { connection: embedded.connection, close }
  } catch (error) {
    lock.release()
    throw error
  }
}

async function checkSchema(store: Store, { schema = 'current' }: Requirements): Promise<void> {
  if (schema === 'any') return
  const state = await readSchemaState(store.pool)
  if (state === 'absent') throw new OperatorError(neverStarted)
  if (state === 'newer') {
    throw new OperatorError(
      'The data was written by another release of Vedette: use that release for this command.',
    )
  }
  if (state === 'older' && schema === 'current') {
    throw new OperatorError('The data belongs to an older release: start the server once, which migrates it.')
  }
}

function inUseMessage({ access }: Requirements): string {
  return access === 'exclusive'
    ? 'A server, or another command, is using this data: stop the server first.'
    : 'A restore or a rotation of the secret key is using this data: try again when it is done.'
}

/** PostgreSQL runs in its own session, so Ctrl-C alone wouldn't stop it. */
function onSignal(close: () => Promise<void>): () => void {
  const stop = (signal: NodeJS.Signals) => {
    close().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143))
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, stop)
  return () => {
    for (const signal of signals) process.off(signal, stop)
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined
  return () => (done ??= work())
}
