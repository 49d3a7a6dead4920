// Measures the resources of a cell from outside, so that its code can't hide any: all processes of its namespace, and deleted
// files that are still open.
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The path of the cell's own /proc. */
export type ProcessList = string

const run = promisify(execFile)

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

/** Usage of the whole machine: if it hardly grows, hardly anything is hidden. */
export async function machineUsage(folder: string): Promise<{ disk: number; memory: number }> {
  const [{ blocks, bfree, bsize }, memory] = await Promise.all([
    statfs(folder),
    readFile('/proc/meminfo', 'utf8'),
  ])
  return {
    disk: (blocks - bfree) * bsize,
    memory: Number(/^Shmem:\s+(\d+) kB/m.exec(memory)?.[1] ?? 0) * 1024,
  }
}

/** Bytes of files in no directory: deleted ones on the directory's disk that are still open, and memfds. */
export async function hiddenBytes(
  list: ProcessList,
  folder: string,
): Promise<{ disk: number; memory: number }> {
  // The cell may have been removed meanwhile.
  const dev = await stat(folder).then(
    (found) => found.dev,
    () => null,
  )
  const found = await Promise.all((await pidsOf(list)).map((pid) => deletedFilesOf(join(list, pid, 'fd'))))
  const files = [...new Map(found.flat().map((file) => [`${file.dev}:${file.ino}`, file])).values()]
  const onDisk = files.filter((file) => file.dev === dev)
  const inMemory = files.filter(({ isMemory }) => isMemory)
  return { disk: sum(onDisk.map(({ bytes }) => bytes)), memory: sum(inMemory.map(({ bytes }) => bytes)) }
}

async function deletedFilesOf(folder: string) {
  const names = await readdir(folder).catch(() => [])
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      const target = await readlink(path).catch(() => '')
      const found = target.endsWith(' (deleted)') ? await stat(path).catch(() => null) : null
      if (!found?.isFile()) return null
      const { dev, ino, blocks } = found
      return { dev, ino, bytes: blocks * 512, isMemory: target.startsWith('/memfd:') }
    }),
  )
  return files.filter((file) => file !== null)
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
  const env = { PATH: '/usr/bin:/bin', LC_ALL: 'C' }
  // du fails if files disappear meanwhile, but still prints the sum.
  const { stdout, stderr } = await run('du', args, { env }).catch(
    (error: { stdout?: string; stderr?: string }) => error,
  )
  if (/cannot (?:read|access).*Permission denied/.test(stderr ?? '')) return Number.POSITIVE_INFINITY
  const found = Number.parseInt(stdout ?? '', 10) || 0
  if (count === 'bytes') return found * 1024
  return found > maxFiles ? Number.POSITIVE_INFINITY : 0
}

async function pidsOf(list: ProcessList): Promise<string[]> {
  const names = await readdir(list).catch(() => [])
  return names.filter((name) => /^\d+$/.test(name))
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
