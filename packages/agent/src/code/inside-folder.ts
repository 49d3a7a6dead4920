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
  let hops = 0
  const resolve = async (from: readonly string[], to: string): Promise<string[] | null> => {
    let at = [...from]
    let rest = to
    if (rest.startsWith('/')) {
      if (rest !== seenAs && !rest.startsWith(`${seenAs}/`)) return null
      at = []
      rest = rest.slice(seenAs.length)
    }
    for (const part of rest.split('/')) {
      if (part === '' || part === '.') continue
      if (part === '..') {
        if (at.length === 0) return null
        at = at.slice(0, -1)
        continue
      }
      const next = [...at, part]
      const found = await lstat(join(root, ...next)).catch(() => null)
      if (!found) return null
      if (!found.isSymbolicLink()) {
        at = next
        continue
      }
      if (++hops > maxHops) return null
      const target = await resolve(at, await readlink(join(root, ...next)))
      if (!target) return null
      at = target
    }
    return at
  }
  const found = await resolve([], path)
  return found && join(root, ...found)
}

/** A regular file without links in its path; null otherwise. */
export async function plainFileInside(root: string, path: string, seenAs: string): Promise<string | null> {
  const relative = relativeInside(path, seenAs)
  if (relative === null) return null
  const parts = relative.split('/')
  for (let depth = 1; depth <= parts.length; depth++) {
    const found = await lstat(join(root, ...parts.slice(0, depth))).catch(() => null)
    if (!(depth === parts.length ? found?.isFile() : found?.isDirectory())) return null
  }
  return join(root, relative)
}

/** Relative to the directory, with slashes; null: outside, or not normalized. */
export function relativeInside(path: string, seenAs: string): string | null {
  const relative = path.startsWith(`${seenAs}/`) ? path.slice(seenAs.length + 1) : path
  const isPlain = relative.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  return isPlain && !relative.includes('\0') ? relative : null
}

/** The text of a file; null: it isn't a regular file, or longer. */
export async function readInside(
  root: string,
  path: string,
  seenAs: string,
  maxBytes: number,
): Promise<string | null> {
  const found = await findInside(root, path, seenAs)
  return found && readPlainFile(found, maxBytes)
}
