// Starts an embedded PostgreSQL on a data directory, with connections on a private Unix socket.
// It must never listen on TCP, run as root, or touch a cluster that another server uses.
import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Log } from '../../core/log.ts'
import { findBinaries } from './binaries.ts'
import { checkCluster, isAbsent, makeCluster, removeDrafts } from './cluster.ts'
import { databaseIdentity } from './identity.ts'
import { clearOrphan, findRunning, stopProcess } from './orphan.ts'
import { makePassword, readPassword, replacePassword } from './password.ts'
import { launch, prepareDatabase } from './postmaster.ts'
import type { Connection } from './settings.ts'
import { clusterDirOf, connectionTo, leastSharedBuffersMb } from './settings.ts'
import { suitableSharedBuffersMb } from './shared-buffers.ts'
import { makeSocketDir, removeSocketDir } from './socket-dir.ts'

export type EmbeddedOptions = {
  dataDir: string
  log: Log
  /** PostgreSQL ended without a call of stop(). */
  onExit?: (error: Error) => void
  /** Settings of PostgreSQL that win over ours, each as `name=value`: tests don't need durable writes. */
  settings?: string[]
  /** Asked once the database exists. */
  sharedBuffersMb?: (connection: Connection) => Promise<number>
  /** Ends a start that is in progress: PostgreSQL is stopped and the start fails. */
  signal?: AbortSignal
}

export type Embedded = { connection: Connection; pid: number; stop(): Promise<void> }

/** The caller must hold the lock of the directory (lockDataDir): a PostgreSQL that runs on it is treated as an orphan. */
export async function startEmbedded({
  dataDir,
  log,
  onExit,
  settings = [],
  sharedBuffersMb = suitableSharedBuffersMb,
  signal,
}: EmbeddedOptions): Promise<Embedded> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const dir = realpathSync(dataDir)
  const clusterDir = clusterDirOf(dir)
  databaseIdentity(clusterDir)
  removeDrafts(dir)
  const isFirst = isAbsent(clusterDir)
  if (!isFirst) await clearOrphan(dir, log)
  const identity = databaseIdentity(clusterDir)
  const binaries = findBinaries(identity, log)
  if (isFirst) await makeCluster(dir, readPassword(dir) ?? makePassword(dir), binaries, log)
  else checkCluster(dir, binaries)
  const password = readPassword(dir) ?? (await replacePassword(dir, binaries, identity, log))

  const socketDir = makeSocketDir(identity)
  const connection = connectionTo(socketDir, password)
  try {
    const extra = settings.flatMap((setting) => ['-c', setting])
    const options = { dataDir: dir, connection, binaries, identity, log, extra, signal }
    let postmaster = await launch(options)
    let wantedMb: number
    try {
      await prepareDatabase(connection)
      wantedMb = await sharedBuffersMb(connection)
    } catch (error) {
      await stopProcess(postmaster.pid, dir)
      throw error
    }
    if (wantedMb > leastSharedBuffersMb) {
      await stopProcess(postmaster.pid, dir)
      const sized = { ...options, extra: ['-c', `shared_buffers=${wantedMb}MB`, ...extra] }
      postmaster = await launch(sized).catch((error) => {
        signal?.throwIfAborted()
        log.warn(
          `PostgreSQL starts with ${leastSharedBuffersMb} MB of shared buffers, because it doesn't with ${wantedMb} MB: ${errorMessage(error)}`,
        )
        return launch(options)
      })
    }
    let stopping: Promise<void> | undefined
    postmaster.ended.then((error) => {
      if (stopping) return
      // Its pid may soon be another program's: from here on stop() has nothing to signal.
      stopping = Promise.resolve()
      removeSocketDir(socketDir)
      log.error(error.message)
      onExit?.(error)
    })
    const { pid } = postmaster
    const stop = () => (stopping ??= stopProcess(pid, dir).then(() => removeSocketDir(socketDir)))
    return { connection, pid, stop }
  } catch (error) {
    removeSocketDir(socketDir)
    throw error
  }
}

/** For commands: the connection to the PostgreSQL that runs on this data directory; null if none runs. */
export function connectionOfRunning(dataDir: string): Connection | null {
  if (!existsSync(dataDir)) return null
  const dir = realpathSync(resolve(dataDir))
  databaseIdentity(clusterDirOf(dir))
  const running = findRunning(dir)
  const password = running && readPassword(dir)
  if (!running?.socketDir || !password) return null
  return connectionTo(running.socketDir, password)
}
