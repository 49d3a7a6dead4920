import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { errorCode } from '@vedette/safeguards/errors'
import { processBirth } from './processes.ts'

type Holder = { pid: number; birth: string }

/** One server per data directory. A lock whose owner no longer runs is taken over. */
export function lockDataDir(dataDir: string): { release(): void } {
  const dir = resolve(dataDir)
  const path = join(dir, 'server.lock')
  const mine = JSON.stringify({ pid: process.pid, birth: processBirth(process.pid) ?? '' } satisfies Holder)
  const draft = `${path}.${process.pid}`
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    writeFileSync(draft, mine, { mode: 0o600 })
    for (;;) {
      if (tryLink(draft, path)) return { release: () => release(path, mine) }
      takeAwayStale(path, dir)
    }
  } catch (error) {
    throw explain(error, dir)
  } finally {
    removeIfThere(draft)
  }
}

function removeIfThere(draft: string): void {
  try {
    rmSync(draft, { force: true })
  } catch {
    // The original error is thrown already.
  }
}

function tryLink(draft: string, path: string): boolean {
  try {
    // link, unlike create-then-write, shows the lock only with its content in it.
    linkSync(draft, path)
    return true
  } catch (error) {
    if (code(error) === 'EEXIST') return false
    throw error
  }
}

function takeAwayStale(path: string, dir: string): void {
  const seen = read(path)
  if (seen === null) return
  const holder = parse(seen)
  if (holder && processBirth(holder.pid) === holder.birth)
    throw new Error(
      `Vedette is already running on ${dir}, pid ${holder.pid}. Stop it first, or set DATA_DIR to another folder.`,
    )
  const aside = `${path}.stale.${process.pid}`
  try {
    renameSync(path, aside)
  } catch (error) {
    if (code(error) === 'ENOENT') return
    throw error
  }
  // Another process may have replaced the stale lock between our read and our rename: then put its lock back.
  if (read(aside) !== seen) tryLink(aside, path)
  rmSync(aside, { force: true })
}

function release(path: string, mine: string): void {
  if (read(path) === mine) rmSync(path, { force: true })
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (code(error) === 'ENOENT') return null
    throw error
  }
}

function parse(text: string): Holder | null {
  try {
    const holder = JSON.parse(text)
    return Number.isInteger(holder?.pid) && holder.pid > 0 ? holder : null
  } catch {
    return null
  }
}

function explain(error: unknown, dir: string): unknown {
  const why: Record<string, string> = {
    EACCES: 'this user may not write there: start as its owner, or set DATA_DIR to another folder',
    EPERM: 'this user may not write there: start as its owner, or set DATA_DIR to another folder',
    EROFS: 'the file system is read-only: set DATA_DIR to a writable folder',
    ENOSPC: 'the disk is full: free some space and start again',
    ENOTDIR: 'it, or a part of its path, is a file: set DATA_DIR to a folder',
    EEXIST: 'it is a file: set DATA_DIR to a folder',
  }
  const reason = why[code(error)]
  return reason ? new Error(`The data directory ${dir} cannot be used: ${reason}.`, { cause: error }) : error
}

function code(error: unknown): string {
  return errorCode(error) ?? ''
}
