// Writes a file below a directory without following any link, whatever the directory contains.

import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { errorCode } from '@vedette/safeguards/errors'

const { O_CREAT, O_DIRECTORY, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants

/** `path`: relative, with slashes, without `.` and `..`. A file that exists is replaced. */
export function writeInside(root: string, path: string, content: string | Uint8Array): void {
  const parents = path.split('/')
  const name = parents.pop() ?? path
  let folder = openFolder(root, root)
  try {
    for (const parent of parents) {
      const next = entryOf(folder, parent)
      makeFolder(next)
      const opened = openFolder(next, path)
      closeSync(folder.fd)
      folder = opened
    }
    const target = entryOf(folder, name)
    // Replaced, not truncated: it could be a hard link to a file elsewhere.
    rmSync(target, { force: true })
    const file = openSync(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    try {
      writeFileSync(file, content)
    } finally {
      closeSync(file)
    }
  } finally {
    closeSync(folder.fd)
  }
}

interface OpenFolder {
  fd: number
  path: string
}

/** Node has no openat(), but on Linux the descriptor's entry in /proc resolves to the open directory. */
const hasDescriptors = existsSync('/proc/self/fd')

const entryOf = ({ fd, path }: OpenFolder, name: string) =>
  `${hasDescriptors ? `/proc/self/fd/${fd}` : path}/${name}`

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

function openFolder(path: string, wanted: string): OpenFolder {
  try {
    return { fd: openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path }
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ELOOP' || code === 'ENOTDIR')
      throw new Error(
        `The file "${wanted}" can't be written: one of its directories is a file or a link. Rename one of them.`,
      )
    throw error
  }
}
