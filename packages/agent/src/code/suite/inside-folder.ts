// Paths below a folder that strangers filled, read while none of their programs runs. Links are followed by hand, and
// never out of the folder.
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink } from 'node:fs/promises'
import { join } from 'node:path'

const maxHops = 40

/**
 * The real place of a path below `root`, on this machine; null when there is nothing, or it leads outside. Absolute
 * links are those of the cell, where the folder is called `seenAs`.
 */
export async function findInside(root: string, path: string, seenAs: string): Promise<string | null> {
  let hops = 0
  const walk = async (from: readonly string[], to: string): Promise<string[] | null> => {
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
      const led = await walk(at, await readlink(join(root, ...next)))
      if (!led) return null
      at = led
    }
    return at
  }
  const found = await walk([], path)
  return found && join(root, ...found)
}

/** A regular file that is there itself, no link on the way; null otherwise. */
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

/** With slashes, relative to the folder; null: outside of it, or written oddly. */
export function relativeInside(path: string, seenAs: string): string | null {
  const relative = path.startsWith(`${seenAs}/`) ? path.slice(seenAs.length + 1) : path
  const isPlain = relative.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  return isPlain && !relative.includes('\0') ? relative : null
}

/** Text of a file, or null when it is none or longer. */
export async function readInside(
  root: string,
  path: string,
  seenAs: string,
  maxBytes: number,
): Promise<string | null> {
  const place = await findInside(root, path, seenAs)
  if (!place) return null
  let file: FileHandle | null = null
  try {
    file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const found = await file.stat()
    if (!found.isFile() || found.size > maxBytes) return null
    return await file.readFile('utf8')
  } catch {
    return null
  } finally {
    await file?.close()
  }
}
