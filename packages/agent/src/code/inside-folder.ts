// Resolves paths in a directory that untrusted programs wrote, while none of them runs. Links are resolved here, and never lead
// out of the directory.
import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readPlainFile } from '../core/read-plain-file.ts'

const maxHops = 40

/**
 * The real path on this machine; null: it doesn't exist or leads outside. Absolute links are those of the cell, where the
 * directory has the path `seenAs`.
 */
export async function findInside(root: string, path: string, seenAs: string): Promise<string | null> {
  let found: string[] = []
  const rest: string[] = []
  const follow = (to: string): boolean => {
    const isAbsolute = to.startsWith('/')
    if (isAbsolute && to !== seenAs && !to.startsWith(`${seenAs}/`)) return false
    if (isAbsolute) found = []
    rest.unshift(...(isAbsolute ? to.slice(seenAs.length) : to).split('/'))
    return true
  }
  if (!follow(path)) return null
  for (let hops = 0; rest.length > 0; ) {
    const part = rest.shift() ?? ''
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (found.pop() === undefined) return null
      continue
    }
    const next = join(root, ...found, part)
    const stats = await lstat(next).catch(() => null)
    if (!stats) return null
    if (!stats.isSymbolicLink()) found.push(part)
    else if (++hops > maxHops || !follow(await readlink(next))) return null
  }
  return join(root, ...found)
}

/** A regular file without links in its path, if it isn't empty; null otherwise. */
export async function plainFileInside(root: string, path: string, seenAs: string) {
  const relative = relativeInside(path, seenAs)
  const found = relative && (await findInside(root, relative, seenAs))
  // With a link in its path, the real path is another one.
  if (!found || found !== join(root, relative)) return null
  const stats = await lstat(found)
  return stats.isFile() && stats.size > 0 ? { path: found, size: stats.size } : null
}

/** Relative to the directory, with slashes; null: outside, or not normalized. */
export function relativeInside(path: string, seenAs: string): string | null {
  const relative = path.startsWith(`${seenAs}/`) ? path.slice(seenAs.length + 1) : path
  const isPlain = relative.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  return isPlain && !relative.includes('\0') ? relative : null
}

/** The text of a file; null: it isn't a regular file, or longer. */
export async function readInside(root: string, path: string, seenAs: string, maxBytes: number) {
  const found = await findInside(root, path, seenAs)
  return found && readPlainFile(found, maxBytes)
}
