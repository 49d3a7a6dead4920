// Measures the resources of a cell from outside, so that its code can't hide any: all processes of its namespace, its sockets, and
// deleted files that are still open.
import { spawn } from 'node:child_process'
import { statfsSync } from 'node:fs'
import { readdir, readlink, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { pidsOf, readProc, residentBytesOf } from './processes.ts'

/** `list`: the path of the cell's own /proc. */
export function residentBytes(list: string): number {
  return sum(pidsOf(list).map((pid) => residentBytesOf(`${list}/${pid}`)))
}

/** Of the file system of this directory: if it hardly grows, hardly anything is hidden. */
export async function diskUsage(folder: string): Promise<number> {
  const { blocks, bfree, bsize } = await statfs(folder)
  return (blocks - bfree) * bsize
}

/** A cell with more open files isn't measured further: it counts as too large. */
const maxOpenFiles = 50_000

/** Bytes of deleted files on the directory's disk that are still open. */
export async function hiddenBytes(list: string, folder: string): Promise<number> {
  // The cell may have been removed meanwhile.
  const disk = await stat(folder).catch(() => null)
  const files = new Map<number, number>()
  let open = 0
  for (const pid of pidsOf(list)) {
    const names = await readdir(join(list, pid, 'fd')).catch(() => [])
    open += names.length
    if (open > maxOpenFiles) return Number.POSITIVE_INFINITY
    for (const name of names) {
      const path = join(list, pid, 'fd', name)
      const target = await readlink(path).catch(() => '')
      const found = target.endsWith(' (deleted)') ? await stat(path).catch(() => null) : null
      if (found?.isFile() && found.dev === disk?.dev) files.set(found.ino, found.blocks * 512)
    }
  }
  return sum(files.values())
}

/** Bytes that the sockets of a network namespace may hold: the kernel counts their number, not their buffers. */
export function socketBytes(process: string): number {
  const used = /^sockets: used (\d+)/.exec(readProc(`${process}/net/sockstat`))?.[1] ?? 0
  // The filter keeps programs from asking for more.
  return Number(used) * (Number(readProc('/proc/sys/net/core/wmem_default')) || 212_992)
}

/** Of a file system in memory: one call, however many there are. */
export function temporaryFiles(folder: string): number {
  try {
    const { files, ffree } = statfsSync(folder)
    return files - ffree
  } catch {
    return 0
  }
}

/** choice: a suite's packages are some 100,000 files; a disk has a few million inodes. */
const defaultMaxFiles = 1_000_000

/** A directory that can't be read counts as too large. */
export async function folderBytes(
  folder: string,
  count: 'bytes' | 'files',
  maxFiles = defaultMaxFiles,
): Promise<number> {
  const found = await sumOfDu(count === 'bytes' ? ['-skx', folder] : ['-sx', '--inodes', folder])
  if (count === 'bytes') return found * 1024
  return found > maxFiles ? Number.POSITIVE_INFINITY : 0
}

/**
 * du fails if files disappear meanwhile, but still prints the sum. Its errors are read and dropped: code that deletes files with
 * long names would make any buffer too small, and end du before it prints.
 */
function sumOfDu(args: readonly string[]): Promise<number> {
  const du = spawn('du', args, {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let isDenied = false
  du.stdout.on('data', (chunk) => {
    output += chunk
  })
  du.stderr.setEncoding('latin1').on('data', (chunk: string) => {
    isDenied ||= chunk.includes('Permission denied')
  })
  return new Promise((settle) => {
    const end = () => settle(isDenied ? Number.POSITIVE_INFINITY : Number.parseInt(output, 10) || 0)
    du.on('error', end).on('close', end)
  })
}

const sum = (numbers: Iterable<number>) => Iterator.from(numbers).reduce((total, number) => total + number, 0)
