// What a run wrote down for the agent, read as a stranger's: bounded, no links followed, anything malformed is absent.
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { firstLines } from '../first-lines.ts'

const maxBytes = 5_000_000
/** More than instruments write. */
const maxLines = 10_000

export function readJson(folder: string, name: string): unknown {
  const text = readText(folder, name)
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export function readLines(folder: string, name: string): unknown[] {
  const values: unknown[] = []
  for (const line of firstLines(readText(folder, name) ?? '', maxLines)) {
    try {
      if (line !== '') values.push(JSON.parse(line))
    } catch {
      // Not what our instruments write.
    }
  }
  return values
}

function readText(folder: string, name: string): string | null {
  let fd: number
  try {
    // The folder that it lies in may be a link too. Nobody changes it meanwhile: the cell has ended.
    if (!lstatSync(join(folder, dirname(name))).isDirectory()) return null
    fd = openSync(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const found = fstatSync(fd)
    if (!found.isFile() || found.size > maxBytes) return null
    const bytes = Buffer.alloc(found.size)
    const length = readSync(fd, bytes, 0, found.size, 0)
    return bytes.toString('utf8', 0, length)
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}
