import {
  chownSync,
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '@vedette/safeguards/errors'

/** Writes a file that only its owner can read, atomically. */
export function writePrivateFile(path: string, text: string): void {
  renameSync(writeDraft(path, text), path)
  syncFolder(dirname(path))
}

/** The same, but never replaces an existing file: returns false if there is one. */
export function createPrivateFile(path: string, text: string): boolean {
  const draft = writeDraft(path, text)
  try {
    // link, unlike rename, fails if the name exists: of two processes that start together, one creates the file.
    linkSync(draft, path)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
  syncFolder(dirname(path))
  return true
}

/** If root runs a command on the directory of another user, that user's server must be able to read the file. */
export function giveToOwnerOf(folder: string, path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(folder)
  chownSync(path, uid, gid)
}

export function syncFolder(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.draft-${process.pid}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  rmSync(draft, { force: true })
  const fd = openSync(draft, 'wx', 0o600)
  try {
    writeSync(fd, text)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  giveToOwnerOf(dirname(path), draft)
  return draft
}
