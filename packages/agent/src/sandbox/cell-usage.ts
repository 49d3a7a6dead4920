// Measures the resources of a cell from outside, so that its code can't hide any: all processes of its namespace, its sockets, and
// deleted files that are still open.
import { spawn } from 'node:child_process'
import { readdir, readFile, readlink, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** The path of the cell's own /proc. */
export type ProcessList = string

/** Without the page cache: programs and libraries that many processes share. */
export async function residentBytes(list: ProcessList): Promise<number> {
  const sizes = await Promise.all((await pidsOf(list)).map((pid) => residentBytesOf(join(list, pid))))
  return sum(sizes)
}

async function residentBytesOf(process: string): Promise<number> {
  const status = await readFile(join(process, 'status'), 'utf8').catch(() => '')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0)
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024
}

/** Of the file system of this directory: if it hardly grows, hardly anything is hidden. */
export async function diskUsage(folder: string): Promise<number> {
  const { blocks, bfree, bsize } = await statfs(folder)
  return (blocks - bfree) * bsize
}

/** A cell with more open files isn't measured further: it counts as too large. */
const maxOpenFiles = 50_000

/** Bytes of deleted files on the directory's disk that are still open. */
export async function hiddenBytes(list: ProcessList, folder: string): Promise<number> {
  // The cell may have been removed meanwhile.
  const dev = await stat(folder).then(
    (found) => found.dev,
    () => null,
  )
  const files = new Map<number, number>()
  let open = 0
  for (const pid of await pidsOf(list)) {
    const names = await readdir(join(list, pid, 'fd')).catch(() => [])
    open += names.length
    if (open > maxOpenFiles) return Number.POSITIVE_INFINITY
    for (const name of names) {
      const path = join(list, pid, 'fd', name)
      const target = await readlink(path).catch(() => '')
      const found = target.endsWith(' (deleted)') ? await stat(path).catch(() => null) : null
      if (found?.isFile() && found.dev === dev) files.set(found.ino, found.blocks * 512)
    }
  }
  return sum([...files.values()])
}

/** Bytes that the sockets of a network namespace may hold: the kernel counts their number, not their buffers. */
export async function socketBytes(process: string): Promise<number> {
  const [sockets, size] = await Promise.all([
    readFile(join(process, 'net/sockstat'), 'latin1').catch(() => ''),
    readFile('/proc/sys/net/core/wmem_default', 'latin1').catch(() => ''),
  ])
  // The filter keeps programs from asking for more.
  return Number(/^sockets: used (\d+)/.exec(sockets)?.[1] ?? 0) * (Number(size) || 212_992)
}

/** Of a file system in memory: one call, however many there are. */
export async function temporaryFiles(folder: string): Promise<number> {
  const found = await statfs(folder).catch(() => null)
  return found === null ? 0 : found.files - found.ffree
}

/** choice: a suite's packages are some 100,000 files; a disk has a few million inodes. */
const defaultMaxFiles = 1_000_000

/** A directory that can't be read counts as too large. */
export async function folderBytes(
  folder: string,
  count: 'bytes' | 'files',
  maxFiles = defaultMaxFiles,
): Promise<number> {
  const args = count === 'bytes' ? ['-skx', folder] : ['-sx', '--inodes', folder]
  const { output, isDenied } = await runDu(args)
  if (isDenied) return Number.POSITIVE_INFINITY
  const found = Number.parseInt(output, 10) || 0
  if (count === 'bytes') return found * 1024
  return found > maxFiles ? Number.POSITIVE_INFINITY : 0
}

/**
 * du fails if files disappear meanwhile, but still prints the sum. Its errors are read and dropped: code that deletes files with
 * long names would make any buffer too small, and end du before it prints.
 */
function runDu(args: readonly string[]): Promise<{ output: string; isDenied: boolean }> {
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
    du.on('error', () => settle({ output, isDenied }))
    du.on('close', () => settle({ output, isDenied }))
  })
}

async function pidsOf(list: ProcessList): Promise<string[]> {
  const names = await readdir(list).catch(() => [])
  return names.filter((name) => /^\d+$/.test(name))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
