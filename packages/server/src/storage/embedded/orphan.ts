import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { errorCode } from '@vedette/safeguards/errors'
import type { Log } from '../../core/log.ts'
import { commandLine, hasWorkingDirectory, waitUntilGone } from './processes.ts'
import { clusterDirOf, markOf } from './settings.ts'
import { removeSocketDir } from './socket-dir.ts'

type PidFile = { pid: number; socketDir: string }

/** The PostgreSQL that runs on this data directory, also if another program started it. */
export function findRunning(dataDir: string): PidFile | null {
  const file = readPidFile(clusterDirOf(dataDir))
  return file && isPostgresOn(dataDir, file.pid) ? file : null
}

/**
 * Clears what a killed server left behind. A PostgreSQL that still runs is stopped, not adopted: it would keep the old
 * settings and binaries, and its log would go nowhere.
 */
export async function clearOrphan(dataDir: string, log: Log): Promise<void> {
  const clusterDir = clusterDirOf(dataDir)
  const file = readPidFile(clusterDir)
  if (file && isPostgresOn(dataDir, file.pid)) {
    log.info(`stopping PostgreSQL, pid ${file.pid}, left by a server that was killed`)
    await stopProcess(file.pid, dataDir)
  } else if (file && (file.pid === 0 || existsSync(`/proc/${file.pid}`))) {
    // PostgreSQL itself heals the file of a dead process. It judges by the number alone, though, and would refuse to start
    // when another program or a zombie has it by now, or when the file was cut off by a power loss.
    log.info(`removing the stale ${join(clusterDir, 'postmaster.pid')} (pid ${file.pid})`)
    rmSync(join(clusterDir, 'postmaster.pid'), { force: true })
  }
  await endStrays(clusterDir, log)
  if (file) removeSocketDir(file.socketDir)
}

/** Fast shutdown, then the immediate one: that is a crash to PostgreSQL, which it recovers from without loss. */
export async function stopProcess(pid: number, dataDir: string): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    send(pid, signal, dataDir)
    if (await waitUntilGone(pid, waitMs)) return
  }
  throw new Error(`PostgreSQL, pid ${pid}, on ${dataDir} doesn't stop. Stop it manually, then start again.`)
}

/** Backends outlive a killed postmaster for a moment, or for as long as one query runs, and block the next start. */
async function endStrays(clusterDir: string, log: Log): Promise<void> {
  const strays = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && hasWorkingDirectory(pid, clusterDir) && isPostgresName(commandLine(pid)[0]))
  for (const pid of strays) {
    if (await waitUntilGone(pid, 2_000)) continue
    log.info(`ending pid ${pid}, left by a PostgreSQL that was killed`)
    send(pid, 'SIGKILL', clusterDir)
    await waitUntilGone(pid, 5_000)
  }
}

function isPostgresOn(dataDir: string, pid: number): boolean {
  const words = commandLine(pid)
  if (!isPostgresName(words[0])) return false
  return hasWorkingDirectory(pid, clusterDirOf(dataDir)) ?? words.includes(markOf(dataDir))
}

/** A backend's title reads "postgres: vedette: autovacuum launcher". */
function isPostgresName(word: string | undefined): boolean {
  return word !== undefined && (basename(word) === 'postgres' || word.startsWith('postgres: '))
}

function readPidFile(clusterDir: string): PidFile | null {
  try {
    const lines = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
    const pid = Number(lines[0])
    return { pid: Number.isInteger(pid) && pid > 0 ? pid : 0, socketDir: lines[4] ?? '' }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}

function send(pid: number, signal: NodeJS.Signals, where: string): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EPERM')
      throw new Error(
        `PostgreSQL, pid ${pid}, runs on ${where} for another user. Stop it as that user or as root.`,
      )
    if (code !== 'ESRCH') throw error
  }
}
