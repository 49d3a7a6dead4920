import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import pg from 'pg'
import type { Log } from '../../core/log.ts'
import type { Binaries } from './binaries.ts'
import { dataDirArgument } from './cluster.ts'
import type { Identity } from './identity.ts'
import { isRoot } from './identity.ts'
import { stopProcess } from './orphan.ts'
import type { Connection } from './settings.ts'
import { clusterDirOf, ENVIRONMENT, settingsOf } from './settings.ts'

type Launch = {
  dataDir: string
  connection: Connection
  binaries: Binaries
  identity: Identity
  log: Log
  extra?: string[]
  signal?: AbortSignal | undefined
}
type Postmaster = { pid: number; ended: Promise<Error> }

const SILENCE_LIMIT_MS = 60_000
const RECOVERY_LIMIT_MS = 15 * 60_000
const SHARED_MEMORY_LIMIT_MS = 15_000

/** Starts PostgreSQL and returns when it takes connections. If `signal` is aborted, stops it and throws. */
export async function launch(options: Launch): Promise<Postmaster> {
  const giveUpAt = Date.now() + SHARED_MEMORY_LIMIT_MS
  for (;;) {
    const { child, ended, tail, opened } = spawnPostmaster(options)
    const abort = new AbortController()
    const waiting = options.signal ? AbortSignal.any([abort.signal, options.signal]) : abort.signal
    const problem = await Promise.race([ended, waitUntilReady(options, waiting)])
    abort.abort()
    if (problem === null && child.pid !== undefined && !options.signal?.aborted) {
      opened()
      return { pid: child.pid, ended }
    }
    if (child.pid && child.exitCode === null && child.signalCode === null)
      await stopProcess(child.pid, options.dataDir)
    options.signal?.throwIfAborted()
    // Backends of a killed postmaster, invisible to us in some containers, are about to notice its death.
    if (tail.some((line) => line.includes('pre-existing shared memory block')) && Date.now() < giveUpAt) {
      await new Promise((resolve) => setTimeout(resolve, 250))
      continue
    }
    throw explain(problem ?? new Error('PostgreSQL ended while starting'), tail, options.dataDir)
  }
}

export async function prepareDatabase(connection: Connection): Promise<void> {
  const client = new pg.Client({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [
      connection.database,
    ])
    if (!rowCount) await client.query(`create database ${client.escapeIdentifier(connection.database)}`)
  } finally {
    await client.end()
  }
}

function spawnPostmaster({ dataDir, connection, binaries, identity, log, extra = [] }: Launch) {
  const cwd = clusterDirOf(dataDir)
  const options = ['-D', dataDirArgument(cwd, identity), ...settingsOf(dataDir, connection.host), ...extra]
  const child = spawn(binaries.postgres, options, {
    cwd,
    env: ENVIRONMENT,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A separate session: Ctrl-C in the terminal must not stop the database before the server has ended.
    detached: true,
    ...(isRoot() ? identity : {}),
  })
  const ended = new Promise<Error>((resolve) => {
    child.once('error', (cause) =>
      resolve(new Error(`PostgreSQL cannot be run as user id ${identity.uid}: ${cause.message}`, { cause })),
    )
    child.once('exit', (code, signal) => {
      const error = new Error(`PostgreSQL on ${dataDir} ended by itself (${signal ?? `exit ${code}`})`)
      // Its last words are read by 'close', but a backend that outlives it holds the pipe open.
      child.once('close', () => resolve(error))
      setTimeout(() => resolve(error), 500).unref()
    })
  })
  const tail: string[] = []
  const opened = passOnLog(child, tail, log)
  return { child, ended, tail, opened }
}

/** Resolves to null when a connection succeeds, to an error when the time is up. */
async function waitUntilReady({ connection, log }: Launch, signal: AbortSignal): Promise<Error | null> {
  const began = Date.now()
  let saidAt = began
  while (!signal.aborted) {
    const client = new pg.Client({ ...connection, database: 'postgres', connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return null
    } catch (error) {
      const code = errorCode(error)
      await client.end().catch(() => {})
      if (code === '28P01')
        return new Error(
          'PostgreSQL refuses the password in the file postgres-password. Remove that file: the next start sets a new one',
        )
      // 57P03: it's still recovering. That may take long, and killing it would only restart recovery.
      const limit = code === '57P03' ? RECOVERY_LIMIT_MS : SILENCE_LIMIT_MS
      if (Date.now() - began > limit)
        return new Error(`PostgreSQL isn't ready after ${limit / 1000} s: ${errorMessage(error)}`)
      if (code === '57P03' && Date.now() - saidAt > 10_000) {
        saidAt = Date.now()
        log.info('PostgreSQL is recovering after a crash, still waiting')
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return new Error('PostgreSQL ended while starting')
}

/** Logged for each client that is still connected, or just connecting, when PostgreSQL stops. */
const ordinary =
  /due to administrator command|the database system is shutting down|canceling authentication due to timeout/

/** Clients receive errors of their statements, so these are logged as debug; errors of PostgreSQL itself are warnings. */
function passOnLog(child: ChildProcess, tail: string[], log: Log): () => void {
  let isReady = false
  if (!child.stderr) return () => {}
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line)
    if (tail.length > 30) tail.shift()
    const isGrave = /^(WARNING|FATAL|PANIC):/.test(line) && !ordinary.test(line)
    if (isGrave && isReady) log.warn(`postgres: ${line}`)
    else log.debug(`postgres: ${line}`)
  })
  return () => {
    isReady = true
  }
}

function explain(problem: Error, tail: string[], dataDir: string): Error {
  const said = tail.slice(-12).join('\n')
  if (/No space left on device|Disk quota exceeded/.test(said))
    return new Error(
      `The disk that holds ${dataDir} is full: PostgreSQL cannot start. Free some space and start again.\n${said}`,
    )
  return new Error(
    `${problem.message}\nPostgreSQL did not start on ${clusterDirOf(dataDir)}. It said last:\n${said || '(nothing)'}`,
    { cause: problem },
  )
}
